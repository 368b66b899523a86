// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The creator waits for the reader before it gives the block back.

#include <omp.h>
#include <stdio.h>

int main(void)
{
    int *block = omp_alloc(64 * sizeof *block, omp_default_mem_alloc);
    int seen = 0;
    block[3] = 7;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task shared(seen)
        seen = block[3];
        #pragma omp taskwait
        omp_free(block, omp_default_mem_alloc);
    }
    printf("%d\n", seen == 7);
}
