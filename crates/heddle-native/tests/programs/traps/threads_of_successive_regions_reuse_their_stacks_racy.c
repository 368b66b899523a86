// expect: race 18 18
// flags: -fopenmp
// threads: 2,4
// The array belongs to the function that starts the regions.

#include <omp.h>
#include <stdio.h>

int out[64];

int main(void)
{
    for (int round = 0; round < 5; round++) {
        int array[16] = {0};
        #pragma omp parallel
        {
            int me = omp_get_thread_num();
            array[round] = me;
            out[me] = me;
        }
    }
    puts("done");
}
