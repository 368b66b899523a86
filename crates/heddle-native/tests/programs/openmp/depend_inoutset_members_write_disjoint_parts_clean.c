// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// compiler: clang
// They write different elements, and the in task comes after all of them.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int a[2];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task depend(inoutset : a)
        a[0] = 1;
        #pragma omp task depend(inoutset : a)
        a[1] = 2;
        #pragma omp task depend(in : a)
        use(a[0] + a[1]);
    }
    printf("%d %d\n", a[0], a[1]);
}
