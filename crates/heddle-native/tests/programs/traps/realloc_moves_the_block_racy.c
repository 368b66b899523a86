// expect: race 23 24
// flags: -fopenmp
// threads: 1,2,4,16
// realloc frees the old block while a task still reads it.

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
    block[3] = 1;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task firstprivate(block)
        use(block[3]);
        block = realloc(block, 1 << 20);
    }
    puts("done");
    free(block);
}
