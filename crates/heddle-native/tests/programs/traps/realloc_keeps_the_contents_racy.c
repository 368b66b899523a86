// expect: race 18 20
// flags: -fopenmp
// threads: 1,2,4,16
// Both tasks write the block that realloc returned.

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
        block[10] = 2;
    }
    puts("done");
    free(block);
}
