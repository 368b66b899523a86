// expect: race 11:18 20:17 24:18 26:18
// flags: -fopenmp -O2
// threads: 1,4
// The loop covers 5 to 41. Each of the others touches one element of it, one before the loop has run.

int cell[64];

__attribute__((noinline)) void add(int *first, int count)
{
    for (int i = 0; i < count; i++)
        first[i] += 3;
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        cell[5] = 1;
        #pragma omp task
        add(cell + 5, 37);
        #pragma omp task
        cell[20] = 2;
        #pragma omp task
        cell[41] = 3;
    }
    return 0;
}
