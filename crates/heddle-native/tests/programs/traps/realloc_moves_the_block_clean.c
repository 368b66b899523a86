// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The reader is waited for before realloc.

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
        #pragma omp taskwait
        block = realloc(block, 1 << 20);
    }
    printf("%d\n", block[3]);
    free(block);
}
