// expect: race 13 13
// flags: -fopenmp
// threads: 2,4
// Threads of all teams share the sum.

#include <stdio.h>

int main(void)
{
    int sum = 0;
    #pragma omp teams distribute parallel for num_teams(2) shared(sum)
    for (int i = 0; i < 64; i++)
        sum += i;
    puts("done");
}
