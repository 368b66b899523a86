// expect: race 15 15
// flags: -fopenmp
// threads: 2,4
// The counter is one variable for all threads.

#include <stdio.h>

int counter;

int main(void)
{
    int total = 0;
    #pragma omp parallel reduction(+ : total)
    {
        counter = 3;
    }
    puts("done");
}
