// expect: race 23 25
// flags: -fopenmp
// threads: 1,2,4,16
// One task frees the block that its sibling reads.

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
        #pragma omp task
        free(block);
    }
    puts("done");
}
