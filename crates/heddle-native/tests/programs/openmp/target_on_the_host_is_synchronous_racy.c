// expect: race 23 24
// flags: -fopenmp
// threads: 1,2,4,16
// target nowait is a task; the host reads before it is complete.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int a[16];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp target map(tofrom : a) nowait
        for (int i = 0; i < 16; i++)
            a[i] = i;
        use(a[15]);
        #pragma omp taskwait
    }
    puts("done");
}
