// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The implicit taskgroup of taskloop waits.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int a[64];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp taskloop grainsize(8)
        for (int i = 0; i < 64; i++)
            a[i] = i;
        use(a[63]);
    }
    printf("%d\n", a[63]);
}
