// expect: race 11:17 17:21 23:17 39:21 45:21 48:22 49:22
// flags: -fopenmp -O1
// threads: 1,4
// 250 to 255 and then 0 to 5; 6, 7, 0, 1, 2; 12 to 51. The others touch the edges.

int wide[300], cell[64], ring[8];

__attribute__((noinline)) void wraps(int *cell, unsigned char from, unsigned char to)
{
    for (unsigned char i = from; i != to; i++)
        cell[i] += 1;
}

__attribute__((noinline)) void around(int *ring, unsigned from, unsigned to)
{
    for (unsigned i = from; i != to; i++)
        ring[i & 7] += 1;
}

__attribute__((noinline)) void below(int *cell, short from, short to)
{
    for (short i = from; i < to; i++)
        cell[i] += 1;
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        {
            wraps(wide, 250, 6);
            around(ring, 0xfffffffe, 3);
            below(cell + 32, -20, 20);
        }
        #pragma omp task
        for (int i = 5; i < 250; i++)
            wide[i] = i;
        #pragma omp task
        for (int i = 256; i < 300; i++)
            wide[i] = i;
        #pragma omp task
        for (int i = 2; i < 6; i++)
            ring[i] = i;
        #pragma omp task
        {
            cell[12] = 1;
            cell[51] = 1;
        }
    }
    return 0;
}
