// expect: clean
// flags: -fopenmp -O2
// threads: 1,4
// The last step reaches 32, the second loop 31.

int cell[64], other[64];

__attribute__((noinline)) void threes(int *cell, int end)
{
    for (int i = 0; i < end; i += 3) {
        cell[i] = i;
        cell[i + 1] = i;
        cell[i + 2] = i;
    }
}

__attribute__((noinline)) void inclusive(int *cell, int from, int last)
{
    for (int i = from; i <= last; i++)
        cell[i] *= 3;
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        {
            threes(cell, 31);
            inclusive(other, 2, 31);
        }
        #pragma omp task
        {
            cell[33] = 1;
            other[32] = 1;
        }
    }
    return 0;
}
