// expect: race 15 15
// flags: -fopenmp
// threads: 2,4
// The condition of the if clause holds, so the team has several threads.

#include <stdio.h>

int total;

int main(void)
{
    int wanted = 1;
    #pragma omp parallel for if (wanted)
    for (int i = 0; i < 50; i++)
        total += i;
    puts("done");
}
