// expect: race 25 26
// flags: -fopenmp
// threads: 2,4
// The first thread goes on writing inside the region.

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
            input[63] = 0;
        use(input[63]);
    }
    puts("done");
}
