// expect: clean
// flags: -fopenmp
// threads: 2,4,16
// The threads write neighbouring elements of one cache line, never the same.

#include <omp.h>
#include <stdio.h>

int cell[64] __attribute__((aligned(64)));

int main(void)
{
    #pragma omp parallel
    {
        int me = omp_get_thread_num();
        for (int k = 0; k < 100; k++)
            cell[me] += k;
    }
    printf("%d\n", cell[1]);
}
