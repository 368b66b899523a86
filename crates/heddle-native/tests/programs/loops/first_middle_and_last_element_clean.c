// expect: clean
// flags: -fopenmp -O2
// threads: 1,4
// The loop covers 5 to 41, and shares an eight-byte word with its neighbours at both ends.

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
        cell[4] = 1;
        #pragma omp task
        add(cell + 5, 37);
        #pragma omp task
        cell[3] = 2;
        #pragma omp task
        cell[42] = 3;
    }
    return 0;
}
