// expect: clean
// flags: -fopenmp -O2
// threads: 1,4
// A task reads what its iteration has written.

int cell[40], seen[40];

__attribute__((noinline)) void produce(int *cell, int count)
{
    for (int i = 0; i < count; i++) {
        cell[i] = i;
        #pragma omp task
        seen[i] = cell[i];
    }
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    produce(cell, 30);
    return 0;
}
