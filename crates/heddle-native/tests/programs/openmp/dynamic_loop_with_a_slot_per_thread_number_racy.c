// expect: race 22 22
// flags: -fopenmp
// threads: 2,4
// Two thread numbers fall on one slot.

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
        slot[me / 64] += i;
        use(i);
    }
    int sum = 0;
    for (int i = 0; i < 64; i++)
        sum += slot[i];
    use(sum);
    puts("done");
}
