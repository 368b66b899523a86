// expect: race 18 22
// flags: -fopenmp
// threads: 1,2,4,16
// The second task adds without atomic.

#include <stdio.h>

long sum;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        {
            #pragma omp atomic
            sum += 1;
        }
        #pragma omp task
        {
            sum += 2;
        }
    }
    puts("done");
}
