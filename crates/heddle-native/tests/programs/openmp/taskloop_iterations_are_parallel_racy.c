// expect: race 16
// flags: -fopenmp
// threads: 1,2,4,16
// The chunks of a taskloop share the sum.

#include <stdio.h>

int main(void)
{
    int sum = 0;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp taskloop shared(sum) num_tasks(4)
        for (int i = 0; i < 64; i++)
            sum += i;
    }
    puts("done");
}
