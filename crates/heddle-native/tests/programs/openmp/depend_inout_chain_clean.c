// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// Three tasks form a chain.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int x, y;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task depend(inout : x)
        use(1);
        #pragma omp task depend(inout : x)
        x = 10;
        #pragma omp task depend(inout : x)
        x += 5;
        #pragma omp taskwait
    }
    printf("%d\n", x);
}
