// expect: clean
// flags: -fopenmp
// threads: 2,4,16
// Chunks of a guided loop write disjoint elements.

#include <stdio.h>

int last[64];

int main(void)
{
    #pragma omp parallel for schedule(guided)
    for (int i = 0; i < 64; i++)
        last[i] = i;
    printf("%d\n", last[63]);
}
