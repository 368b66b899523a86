// expect: clean
// flags: -fopenmp -O2
// threads: 1,4
// The elements beside both ends of a loop that runs backwards.

int cell[80];
unsigned char byte[80];

__attribute__((noinline)) void down(int *cell, int last, int first)
{
    for (int i = last; i >= first; i--)
        cell[i] = i;
}

__attribute__((noinline)) void bytes(unsigned char *end, unsigned count)
{
    do
        *--end += 1;
    while (--count != 0);
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        {
            down(cell, 60, 11);
            bytes(byte + 71, 50);
        }
        #pragma omp task
        {
            cell[10] = 1;
            cell[61] = 2;
            byte[20] = 3;
            byte[71] = 4;
        }
    }
    return 0;
}
