// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The block is freed after the wait.

#include <stdio.h>
#include <stdlib.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int main(void)
{
    int *block = malloc(64);
    block[0] = 1;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        use(block[0]);
        #pragma omp taskwait
        #pragma omp task
        free(block);
    }
    puts("done");
}
