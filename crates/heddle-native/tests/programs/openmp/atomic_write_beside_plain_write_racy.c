// expect: race 17 21
// flags: -fopenmp
// threads: 2,4,16
// One of the two writes is not atomic.

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
            x = 5;
        }
    }
    puts("done");
}
