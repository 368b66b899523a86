// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// A task's block often has the address of a block that a parallel task freed.

#include <stdio.h>
#include <stdlib.h>

int out[32];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 32; i++) {
        #pragma omp task
        {
            int *block = malloc(64);
            block[0] = i;
            out[i] = block[0];
            free(block);
        }
    }
    printf("%d\n", out[31]);
}
