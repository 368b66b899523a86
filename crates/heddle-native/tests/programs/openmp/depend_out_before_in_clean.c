// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The reader depends on the writer.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int x;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task depend(out : x)
        x = 1;
        #pragma omp task depend(in : x)
        use(x);
    }
    printf("%d\n", x);
}
