// expect: clean
// flags: -fopenmp
// threads: 2,4
// A second barrier closes each round.

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
        for (int round = 0; round < 3; round++) {
            value[me] = round;
            #pragma omp barrier
            use(value[(me + 1) % n]);
            #pragma omp barrier
        }
    }
    printf("%d\n", value[0]);
}
