// expect: clean
// flags: -fopenmp
// threads: 2,4,16
// Each thread allocates its own buffer before the loop and uses it in whatever chunks it gets.

#include <stdio.h>
#include <stdlib.h>

int out[64];

int main(void)
{
    #pragma omp parallel
    {
        int *scratch = malloc(8 * sizeof *scratch);
        #pragma omp for schedule(dynamic, 2)
        for (int i = 0; i < 64; i++) {
            scratch[3] = i;
            out[i] = scratch[3];
        }
        free(scratch);
    }
    printf("%d\n", out[63]);
}
