// expect: race 14 14
// flags: -fopenmp
// threads: 2,4
// The tasks of all threads add to the shared variable.

#include <stdio.h>

int main(void)
{
    int sum = 0;
    #pragma omp parallel shared(sum)
    {
        #pragma omp task shared(sum)
        sum += 2;
    }
    puts("done");
}
