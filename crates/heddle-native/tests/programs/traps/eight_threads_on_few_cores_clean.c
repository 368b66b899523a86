// expect: clean
// flags: -fopenmp
// threads: 2,4
// Eight threads write their own cells over many barriers.

#include <omp.h>
#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int table[8][64];

int main(void)
{
    omp_set_dynamic(0);
    #pragma omp parallel num_threads(8)
    {
        int me = omp_get_thread_num();
        for (int round = 0; round < 10; round++) {
            table[me][round] = round;
            #pragma omp barrier
            use(table[(me + 1) % 8][round]);
        }
    }
    printf("%d\n", table[7][9]);
}
