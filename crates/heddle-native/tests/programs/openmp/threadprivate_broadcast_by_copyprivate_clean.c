// expect: clean
// flags: -fopenmp
// threads: 1,2,4
// Every thread copies from the storage of the one that executed the single.

#include <stdio.h>

int counter;
#pragma omp threadprivate(counter)

int main(void)
{
    #pragma omp parallel
    {
        counter = 1;
        #pragma omp single copyprivate(counter)
        counter = 7;
        counter++;
    }
    printf("%d\n", counter);
}
