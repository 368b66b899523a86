// expect: race 17 22
// flags: -fopenmp
// threads: 2,4,16
// The two critical sections have different names and do not exclude each other.

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
            #pragma omp critical(second)
            x += 2;
        }
    }
    puts("done");
}
