// expect: race 23 24
// flags: -fopenmp
// threads: 2,4
// The tasks are not complete where a thread reads without a barrier.

#include <omp.h>
#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int x[64];

int main(void)
{
    #pragma omp parallel
    {
        int me = omp_get_thread_num(), n = omp_get_num_threads();
        #pragma omp task
        x[me] = me;
        use(x[(me + 1) % n]);
    }
    puts("done");
}
