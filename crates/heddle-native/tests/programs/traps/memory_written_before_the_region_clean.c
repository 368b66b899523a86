// expect: clean
// flags: -fopenmp
// threads: 2,4
// What the initial thread wrote before the region is ordered before all its threads.

#include <omp.h>
#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int input[64];

int main(void)
{
    for (int i = 0; i < 64; i++)
        input[i] = i;
    int sum = 0;
    #pragma omp parallel reduction(+ : sum)
    {
        if (omp_get_thread_num() == 0)
            sum += 1;
        use(input[63]);
    }
    printf("%d %d\n", sum, input[63]);
}
