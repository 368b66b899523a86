// expect: race 20 20
// flags: -fopenmp
// threads: 1,2,4,16
// The buffer is one variable of the parent, shared by all tasks.

#include <stdio.h>

int out[16];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        int buffer[32];
        for (int i = 0; i < 16; i++) {
            #pragma omp task shared(buffer)
            {
                for (int k = 0; k < 32; k++)
                    buffer[k] = i + k;
            }
        }
        #pragma omp taskwait
    }
    puts("done");
}
