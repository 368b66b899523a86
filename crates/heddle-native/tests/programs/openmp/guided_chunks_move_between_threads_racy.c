// expect: race 14 14
// flags: -fopenmp
// threads: 2,4,16
// Chunks of a guided loop write one variable.

#include <stdio.h>

int last[64];

int main(void)
{
    #pragma omp parallel for schedule(guided)
    for (int i = 0; i < 64; i++)
        last[0] = i;
    puts("done");
}
