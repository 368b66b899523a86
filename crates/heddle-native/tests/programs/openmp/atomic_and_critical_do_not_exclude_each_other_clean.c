// expect: clean
// flags: -fopenmp
// threads: 2,4,16
// Both are atomic.

#include <stdio.h>

int x;

int main(void)
{
    #pragma omp parallel sections
    {
        #pragma omp section
        {
            #pragma omp atomic
            x += 1;
        }
        #pragma omp section
        {
            #pragma omp atomic
            x += 2;
        }
    }
    printf("%d\n", x);
}
