// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// Each task's buffer is its own, though tasks on one thread find it at the same address.

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
                int buffer[32];
                for (int k = 0; k < 32; k++)
                    buffer[k] = i + k;
                out[i] = buffer[i] + buffer[31 - i];
            }
        }
        #pragma omp taskwait
    }
    printf("%d\n", out[15]);
}
