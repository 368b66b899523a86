// expect: race 18 20
// flags: -fopenmp
// threads: 1,2,4,16
// Two tasks fill the same alloca block of their parent.

#include <alloca.h>
#include <stdio.h>

int out[16];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        int *block = alloca(64 * sizeof *block);
        #pragma omp task
        block[5] = 1;
        #pragma omp task
        block[5] = 2;
        #pragma omp taskwait
    }
    puts("done");
}
