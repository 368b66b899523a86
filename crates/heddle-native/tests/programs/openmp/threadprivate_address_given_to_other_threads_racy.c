// expect: race 19 21
// flags: -fopenmp
// threads: 2,4
// One thread writes the copy of another, by its address.

#include <omp.h>
#include <stdio.h>

int counter;
#pragma omp threadprivate(counter)
int *published;

int main(void)
{
    published = &counter;
    #pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            counter = 1;
        else
            *published = 2;
    }
    printf("%d\n", counter);
}
