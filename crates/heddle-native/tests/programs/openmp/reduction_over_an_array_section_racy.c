// expect: race 13 13
// flags: -fopenmp
// threads: 2,4
// All threads add to one histogram.

#include <stdio.h>

int main(void)
{
    int histogram[4] = {0};
    #pragma omp parallel for
    for (int i = 0; i < 64; i++)
        histogram[i % 4] += 1;
    puts("done");
}
