// expect: clean
// flags: -fopenmp
// threads: 2,4
// With a false if clause the team is one thread.

#include <stdio.h>

int total;

int main(void)
{
    int wanted = 0;
    #pragma omp parallel for if (wanted)
    for (int i = 0; i < 50; i++)
        total += i;
    printf("%d\n", total);
}
