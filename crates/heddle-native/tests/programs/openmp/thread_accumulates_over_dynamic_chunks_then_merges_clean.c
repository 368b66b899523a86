// expect: clean
// flags: -fopenmp
// threads: 2,4,16
// The merge is in a critical section.

#include <stdio.h>

int total;

int main(void)
{
    #pragma omp parallel
    {
        int mine = 0;
        #pragma omp for schedule(dynamic) nowait
        for (int i = 0; i < 64; i++)
            mine += i;
        #pragma omp critical
        total += mine;
    }
    printf("%d\n", total);
}
