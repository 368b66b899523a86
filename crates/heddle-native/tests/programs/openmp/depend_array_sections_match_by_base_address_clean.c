// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The sections begin at the same address.

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
        #pragma omp task depend(in : a[0 : 3])
        use(a[2]);
    }
    printf("%d\n", a[2]);
}
