// expect: clean
// flags: -fopenmp
// threads: 2,4,16
// Both have the same name.

#include <stdio.h>

int x;

int main(void)
{
    #pragma omp parallel sections
    {
        #pragma omp section
        {
            #pragma omp critical(first)
            x += 1;
        }
        #pragma omp section
        {
            #pragma omp critical(first)
            x += 2;
        }
    }
    printf("%d\n", x);
}
