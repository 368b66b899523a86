// expect: clean
// flags: -fopenmp
// threads: 2,4,16
// env: OMP_CANCELLATION=true
// The store is in a critical section.

#include <stdio.h>

int found;

int main(void)
{
    #pragma omp parallel
    {
        #pragma omp sections
        {
            #pragma omp section
            {
                #pragma omp critical
                found = 1;
            }
            #pragma omp section
            {
                #pragma omp critical
                found = 1;
                #pragma omp cancel sections
            }
        }
    }
    printf("%d\n", found);
}
