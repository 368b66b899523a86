// expect: race 12:17 21:13 29:17 35:15 35:18 52:18 53:19 54:19 55:19 56:19
// flags: -fopenmp -O1
// threads: 1,4
// The last element of each loop.

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
            a[0] = 1;
            b[16] = 1;
            c[16] = 1;
            d[18] = 1;
            d[38] = 1;
        }
    }
    return 0;
}
