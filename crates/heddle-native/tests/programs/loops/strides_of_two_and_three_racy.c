// expect: race 12:21 18:17
// flags: -fopenmp -O3
// threads: 1,4
// Two of the loops take the same elements, of either stride.

short cell[120];
unsigned char byte[120];

__attribute__((noinline)) void second(short *cell, int count)
{
    for (int i = 0; i < count; i++)
        cell[2 * i] += 1;
}

__attribute__((noinline)) void third(unsigned char *byte, long end)
{
    for (long i = 0; i < end; i += 3)
        byte[i] += 1;
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        second(cell, 60);
        #pragma omp task
        second(cell + 0, 60);
        #pragma omp task
        third(byte, 118);
        #pragma omp task
        third(byte + 1, 118);
        #pragma omp task
        third(byte + 1, 118);
    }
    return 0;
}
