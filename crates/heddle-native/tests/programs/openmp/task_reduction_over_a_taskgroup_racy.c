// expect: race 19 19
// flags: -fopenmp
// compilers: clang,gcc
// threads: 1,2,4,16
// The tasks do not take part in the reduction and update the original.

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
                #pragma omp task shared(sum)
                sum += i;
            }
        }
    }
    puts("done");
}
