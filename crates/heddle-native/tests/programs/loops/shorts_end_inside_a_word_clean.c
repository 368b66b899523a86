// expect: clean
// flags: -fopenmp -O2
// threads: 1,4
// Three loops side by side; their borders lie inside eight-byte words.

short cell[64];

__attribute__((noinline)) void twice(short *cell, long from, long to)
{
    for (long i = from; i < to; i++)
        cell[i] = (short)(cell[i] * 2);
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        twice(cell, 3, 30);
        #pragma omp task
        twice(cell, 30, 50);
        #pragma omp task
        twice(cell, 0, 3);
    }
    return 0;
}
