// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// A tied task without scheduling points stays on its thread, so tasks that meet in a slot ran one after the
// other.

#include <omp.h>
#include <stdio.h>

int slot[64];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 32; i++) {
        #pragma omp task
        slot[omp_get_thread_num()] += i;
    }
    int sum = 0;
    for (int i = 0; i < 64; i++)
        sum += slot[i];
    printf("%d\n", sum);
}
