// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The final task is waited for.

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
        #pragma omp task final(1)
        x = 1;
        #pragma omp taskwait
        use(x);
    }
    printf("%d\n", x);
}
