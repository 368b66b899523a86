// expect: race 19 19
// flags: -fopenmp
// threads: 1,2,4,16
// Untied tasks that share a variable, with a scheduling point between.

#include <stdio.h>

int x[4];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        for (int i = 0; i < 4; i++) {
            #pragma omp task untied firstprivate(i)
            {
                #pragma omp taskyield
                x[0] = i;
            }
        }
        #pragma omp taskwait
    }
    puts("done");
}
