// expect: race 17 17
// flags: -fopenmp
// threads: 2,4,16
// Neighbours are rounded to the same element.

#include <omp.h>
#include <stdio.h>

int cell[64] __attribute__((aligned(64)));

int main(void)
{
    #pragma omp parallel
    {
        int me = omp_get_thread_num();
        for (int k = 0; k < 100; k++)
            cell[me & ~1] += k;
    }
    puts("done");
}
