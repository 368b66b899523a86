// expect: clean
// flags: -fopenmp -O2
// compilers: clang,gcc
// The last thread of the team has seen the count of all others.

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
            last = count == 4;
        }
        if (last)
            for (int k = 0; k < 4; k++)
                sum += parts[k];
    }
    printf("%d\n", count);
}
