// expect: clean
// flags: -fopenmp
// threads: 2,4
// The sum is reduced over the teams.

#include <stdio.h>

int main(void)
{
    int sum = 0;
    #pragma omp teams distribute parallel for num_teams(2) reduction(+ : sum)
    for (int i = 0; i < 64; i++)
        sum += i;
    printf("%d\n", sum);
}
