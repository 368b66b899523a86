// expect: race 17 17
// flags: -fopenmp
// threads: 1,2,4,16
// The counter is an ordinary global.

#include <stdio.h>

int counter;

int main(void)
{
    #pragma omp parallel
    {
        #pragma omp single
        for (int i = 0; i < 16; i++) {
            #pragma omp task
            counter++;
        }
    }
    puts("done");
}
