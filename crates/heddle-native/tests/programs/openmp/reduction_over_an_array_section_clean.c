// expect: clean
// flags: -fopenmp
// threads: 2,4
// Each thread reduces into its own copy of the histogram.

#include <stdio.h>

int main(void)
{
    int histogram[4] = {0};
    #pragma omp parallel for reduction(+ : histogram[0 : 4])
    for (int i = 0; i < 64; i++)
        histogram[i % 4] += 1;
    printf("%d %d\n", histogram[0], histogram[3]);
}
