// expect: clean
// flags: -fopenmp -O2
// threads: 1,4
// All three loops are atomic.

int bin[4], cell[64];

__attribute__((noinline)) void count(const int *cell, int from, int to)
{
    for (int i = from; i < to; i++) {
        #pragma omp atomic
        bin[cell[i] & 3] += 1;
    }
}

__attribute__((noinline)) void clear(void)
{
    for (int i = 0; i < 4; i++) {
        #pragma omp atomic write
        bin[i] = 5 * i;
    }
}

int main(void)
{
    for (int i = 0; i < 64; i++)
        cell[i] = i;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        count(cell, 0, 40);
        #pragma omp task
        count(cell, 30, 64);
        #pragma omp task
        clear();
    }
    return 0;
}
