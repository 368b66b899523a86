// expect: race 14 14
// flags: -fopenmp
// threads: 2,4
// Two teams add to one variable.

#include <stdio.h>

int sum[64];

int main(void)
{
    #pragma omp teams distribute num_teams(2) thread_limit(1)
    for (int i = 0; i < 64; i++)
        sum[0] += i;
    puts("done");
}
