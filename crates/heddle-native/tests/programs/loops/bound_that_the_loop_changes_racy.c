// expect: race 11:17 23:18
// flags: -fopenmp -O2
// threads: 1,4
// The bound lies in the array; it grows from 40 to 60 on the way.

int cell[64];

__attribute__((noinline)) void until(int *cell, const int *count)
{
    for (int i = 1; i < *count; i++)
        cell[i] = 3 * i;
}

int main(void)
{
    cell[20] = 40;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        until(cell, &cell[20]);
        #pragma omp task
        cell[59] = 1;
    }
    return 0;
}
