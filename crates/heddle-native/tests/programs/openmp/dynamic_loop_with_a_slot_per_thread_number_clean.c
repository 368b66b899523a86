// expect: clean
// flags: -fopenmp
// threads: 2,4,16
// The slot is chosen by the thread number, so chunks that meet in it ran on one thread.

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
    #pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < 64; i++) {
        int me = omp_get_thread_num() % 64;
        slot[me] += i;
        use(i);
    }
    int sum = 0;
    for (int i = 0; i < 64; i++)
        sum += slot[i];
    printf("%d\n", sum);
}
