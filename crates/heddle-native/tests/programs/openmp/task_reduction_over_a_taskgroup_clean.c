// expect: clean
// flags: -fopenmp
// compilers: clang,gcc
// threads: 1,2,4,16
// Each task reduces into a copy of its thread.

#include <stdio.h>

int main(void)
{
    int sum = 0;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp taskgroup task_reduction(+ : sum)
        {
            for (int i = 0; i < 10; i++) {
                #pragma omp task in_reduction(+ : sum)
                sum += i;
            }
        }
    }
    printf("%d\n", sum);
}
