// expect: race 11:17
// flags: -fopenmp -O3
// threads: 1,4
// The last two loops share the byte 71.

unsigned char byte[128] __attribute__((aligned(16)));

__attribute__((noinline)) void shift(unsigned char *byte, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        byte[i] += 7;
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        shift(byte + 3, 45);
        #pragma omp task
        shift(byte + 48, 1);
        #pragma omp task
        shift(byte + 49, 23);
        #pragma omp task
        shift(byte + 71, 56);
    }
    return 0;
}
