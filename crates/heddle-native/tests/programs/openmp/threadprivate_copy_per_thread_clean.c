// expect: clean
// flags: -fopenmp
// threads: 2,4
// threadprivate makes one counter per thread.

#include <omp.h>
#include <stdio.h>

int counter;
#pragma omp threadprivate(counter)

int main(void)
{
    int total = 0;
    #pragma omp parallel reduction(+ : total)
    {
        counter = 3;
        counter += 1;
        total += counter;
    }
    printf("%s\n", total == 4 * omp_get_max_threads() ? "right" : "wrong");
}
