// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The tasks write different parts of it.

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int *block = malloc(16);
    block[0] = 7;
    block = realloc(block, 4096);
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        block[10] = 1;
        #pragma omp task
        block[11] = 2;
    }
    printf("%d %d\n", block[0], block[11]);
    free(block);
}
