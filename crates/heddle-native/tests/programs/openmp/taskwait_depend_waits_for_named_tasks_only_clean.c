// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The taskwait names x.

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
        #pragma omp task depend(out : x)
        x = 1;
        #pragma omp task depend(out : y)
        y = 1;
        #pragma omp taskwait depend(in : x)
        use(x);
    }
    printf("%d %d\n", x, y);
}
