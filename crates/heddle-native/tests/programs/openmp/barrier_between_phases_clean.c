// expect: clean
// flags: -fopenmp
// threads: 2,4,16
// The barrier separates writing from reading.

#include <omp.h>
#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int value[64];

int main(void)
{
    #pragma omp parallel
    {
        int me = omp_get_thread_num(), n = omp_get_num_threads();
        value[me] = me;
        #pragma omp barrier
        use(value[(me + 1) % n]);
    }
    printf("%d\n", value[1]);
}
