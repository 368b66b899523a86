// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// Each task has an alloca block of its own, often at the same address.

#include <alloca.h>
#include <stdio.h>

int out[16];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        for (int i = 0; i < 16; i++) {
            #pragma omp task
            {
                int *block = alloca((16 + i) * sizeof *block);
                for (int k = 0; k < 16 + i; k++)
                    block[k] = k;
                out[i] = block[i];
            }
        }
        #pragma omp taskwait
    }
    printf("%d\n", out[15]);
}
