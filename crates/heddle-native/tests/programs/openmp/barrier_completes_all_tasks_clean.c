// expect: clean
// flags: -fopenmp
// threads: 2,4
// All tasks of the team are complete after the barrier.

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
        #pragma omp barrier
        use(x[(me + 1) % n]);
    }
    printf("%d\n", x[1]);
}
