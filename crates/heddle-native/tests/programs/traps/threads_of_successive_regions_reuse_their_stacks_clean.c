// expect: clean
// flags: -fopenmp
// threads: 2,4
// Each thread's array is on its own stack, used again in every region.

#include <omp.h>
#include <stdio.h>

int out[64];

int main(void)
{
    for (int round = 0; round < 5; round++) {
        #pragma omp parallel
        {
            int array[16] = {0};
            int me = omp_get_thread_num();
            array[round] = me;
            out[me] = array[round];
        }
    }
    printf("%d\n", out[1]);
}
