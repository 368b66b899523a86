// expect: race 22 23
// flags: -fopenmp
// threads: 2,4,16
// A thread reads its neighbour's element with no barrier after the write.

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
        use(value[(me + 1) % n]);
    }
    puts("done");
}
