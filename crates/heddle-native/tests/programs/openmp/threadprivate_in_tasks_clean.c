// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// Tasks that meet in a threadprivate counter ran on the same thread, one after the other.

#include <stdio.h>

int counter;
#pragma omp threadprivate(counter)

int main(void)
{
    int total = 0;
    #pragma omp parallel
    {
        counter = 0;
        #pragma omp barrier
        #pragma omp single
        for (int i = 0; i < 16; i++) {
            #pragma omp task
            counter++;
        }
        #pragma omp atomic
        total += counter;
    }
    printf("%d\n", total);
}
