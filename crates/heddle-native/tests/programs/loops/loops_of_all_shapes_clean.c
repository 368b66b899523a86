// expect: clean
// flags: -fopenmp -O1
// threads: 1,4
// The element behind the last of each loop.

int a[40], b[40], c[40], d[40];

__attribute__((noinline)) void at_least_once(int *cell, int count)
{
    int i = 0;
    do {
        cell[i] += 1;
        i++;
    } while (i < count);
}

__attribute__((noinline)) void jumps(int *cell, int count)
{
    int i = 0;
again:
    cell[i] += 2;
    if (++i < count)
        goto again;
}

__attribute__((noinline)) void to_zero(int *cell, unsigned count)
{
    for (unsigned i = count; i-- != 0;)
        cell[i] += 3;
}

__attribute__((noinline)) void crosswise(int *to, const int *from, int count)
{
    for (int i = 0, j = count - 1; i < count; i++, j--)
        to[i] += from[j];
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        {
            at_least_once(a, 0);
            jumps(b, 17);
            to_zero(c, 17);
            crosswise(d, d + 20, 19);
        }
        #pragma omp task
        {
            a[1] = 1;
            b[17] = 1;
            c[17] = 1;
            d[19] = 1;
            d[39] = 1;
        }
    }
    return 0;
}
