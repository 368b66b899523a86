// expect: race 22 23
// flags: -fopenmp
// threads: 2,4
// A shared variable carries the value and nothing orders its write before the reads.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int seed;

int main(void)
{
    int sum = 0;
    #pragma omp parallel reduction(+ : sum)
    {
        #pragma omp single nowait
        seed = 7;
        use(seed);
    }
    puts("done");
}
