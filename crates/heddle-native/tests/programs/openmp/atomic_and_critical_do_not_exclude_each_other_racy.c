// expect: race 17 22
// flags: -fopenmp
// threads: 2,4,16
// An atomic update and a plain update under a lock are not both atomic and share no lock.

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
            #pragma omp critical
            x += 2;
        }
    }
    puts("done");
}
