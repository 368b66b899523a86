// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// It does.

#include <stdio.h>

int a[16], b[16];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp target map(tofrom : a) nowait depend(out : a)
        for (int i = 0; i < 16; i++)
            a[i] = i;
        #pragma omp target map(to : a) map(tofrom : b) nowait depend(in : a) depend(out : b)
        for (int i = 0; i < 16; i++)
            b[i] = a[i] + 1;
        #pragma omp taskwait
    }
    printf("%d\n", b[15]);
}
