// expect: clean
// flags: -fopenmp
// threads: 2,4
// They only hold the address; each thread writes its own copy.

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
            counter = published != NULL;
    }
    printf("%d\n", counter);
}
