// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The variable is firstprivate, copied when the task is created.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int i;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        for (i = 0; i < 8; i++) {
            #pragma omp task firstprivate(i)
            use(i);
        }
        #pragma omp taskwait
    }
    puts("done");
}
