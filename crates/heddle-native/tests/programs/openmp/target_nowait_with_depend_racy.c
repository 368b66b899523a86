// expect: race 17 20
// flags: -fopenmp
// threads: 1,2,4,16
// The second target region does not depend on the first.

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
        #pragma omp target map(to : a) map(tofrom : b) nowait depend(out : b)
        for (int i = 0; i < 16; i++)
            b[i] = a[i] + 1;
        #pragma omp taskwait
    }
    puts("done");
}
