// expect: race
// flags: -fopenmp -O2
// compilers: clang
// It does not look at the count.

#include <stdio.h>

int parts[4], sum, count;

int main(void)
{
    #pragma omp parallel num_threads(4)
    #pragma omp for
    for (int i = 0; i < 4; i++) {
        parts[i] = i;
        int last;
        #pragma omp critical
        {
            count++;
            last = i == 3;
        }
        if (last)
            for (int k = 0; k < 4; k++)
                sum += parts[k];
    }
    printf("%d\n", count);
}
