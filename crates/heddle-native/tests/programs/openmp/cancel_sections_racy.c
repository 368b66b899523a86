// expect: race 19 24
// flags: -fopenmp
// threads: 2,4,16
// env: OMP_CANCELLATION=true
// Both sections may have started before either cancels.

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
                found = 1;
                #pragma omp cancellation point sections
            }
            #pragma omp section
            {
                found = 1;
                #pragma omp cancel sections
            }
        }
    }
    puts("done");
}
