// expect: race 22 24
// flags: -fopenmp
// threads: 1,2,4,16
// The sections overlap but begin at different addresses, which orders nothing.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int a[8];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task depend(out : a[0 : 4])
        a[2] = 1;
        #pragma omp task depend(in : a[2 : 4])
        use(a[2]);
    }
    puts("done");
}
