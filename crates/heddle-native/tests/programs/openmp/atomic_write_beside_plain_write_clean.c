// expect: clean
// flags: -fopenmp
// threads: 2,4,16
// Both writes are atomic.

#include <stdio.h>

int x;

int main(void)
{
    #pragma omp parallel sections
    {
        #pragma omp section
        {
            #pragma omp atomic write
            x = 5;
        }
        #pragma omp section
        {
            #pragma omp atomic write
            x = 5;
        }
    }
    printf("%d\n", x);
}
