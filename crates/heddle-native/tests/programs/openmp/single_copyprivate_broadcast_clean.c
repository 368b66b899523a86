// expect: clean
// flags: -fopenmp
// threads: 2,4
// copyprivate hands the value to the other threads' private copies.

#include <omp.h>
#include <stdio.h>


int main(void)
{
    int sum = 0;
    #pragma omp parallel reduction(+ : sum)
    {
        int seed;
        #pragma omp single copyprivate(seed)
        seed = 7;
        sum += seed - 6;
    }
    printf("%s\n", sum == omp_get_max_threads() ? "equal" : "different");
}
