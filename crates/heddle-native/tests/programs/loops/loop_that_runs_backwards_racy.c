// expect: race 12:17 18:16 34:22 35:22 36:22 37:22
// flags: -fopenmp -O2
// threads: 1,4
// Both ends of a loop that runs backwards.

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
            cell[11] = 1;
            cell[60] = 2;
            byte[21] = 3;
            byte[70] = 4;
        }
    }
    return 0;
}
