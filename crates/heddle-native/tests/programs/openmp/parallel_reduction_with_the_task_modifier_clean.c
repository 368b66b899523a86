// expect: clean
// flags: -fopenmp
// threads: 2,4
// reduction(task) lets the tasks of the region take part.

#include <omp.h>
#include <stdio.h>

int main(void)
{
    int sum = 0;
    #pragma omp parallel reduction(task, + : sum)
    {
        #pragma omp task in_reduction(+ : sum)
        sum += 2;
    }
    printf("%s\n", sum == 2 * omp_get_max_threads() ? "right" : "wrong");
}
