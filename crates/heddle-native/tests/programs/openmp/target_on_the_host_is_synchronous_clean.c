// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// A target region without nowait is complete when the host goes on.

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
        #pragma omp target map(tofrom : a)
        for (int i = 0; i < 16; i++)
            a[i] = i;
        use(a[15]);
        #pragma omp taskwait
    }
    printf("%d\n", a[15]);
}
