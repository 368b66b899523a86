// expect: race 23 24
// flags: -fopenmp
// threads: 1,2,4,16
// With nogroup the parent goes on before the tasks are complete.

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
        #pragma omp taskloop nogroup grainsize(8)
        for (int i = 0; i < 64; i++)
            a[i] = i;
        use(a[63]);
    }
    puts("done");
}
