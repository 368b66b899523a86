// expect: clean
// flags: -fopenmp -O2
// threads: 1,4
// The parts that loops have in common are under one lock.

int cell[60], extra[60];

__attribute__((noinline)) void add(int *cell, const int *extra, int count)
{
    for (int i = 0; i < count; i++)
        cell[i] += extra[i];
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        {
            #pragma omp critical(one)
            add(cell, extra, 33);
            add(cell + 33, extra, 20);
        }
        #pragma omp task
        {
            #pragma omp critical(one)
            add(cell, extra, 33);
        }
        #pragma omp task
        {
            #pragma omp critical(one)
            add(cell + 7, extra + 7, 26);
            add(cell + 53, extra, 7);
        }
    }
    return 0;
}
