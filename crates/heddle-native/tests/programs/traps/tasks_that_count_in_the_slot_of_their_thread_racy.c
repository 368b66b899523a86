// expect: race 23 23
// flags: -fopenmp
// threads: 1,2,4,16
// All threads use slot 0.

#include <omp.h>
#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int slot[64];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 32; i++) {
        #pragma omp task
        slot[omp_get_thread_num() / 64] += i;
    }
    int sum = 0;
    for (int i = 0; i < 64; i++)
        sum += slot[i];
    use(sum);
    puts("done");
}
