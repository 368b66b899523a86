// expect: race 17 17
// flags: -fopenmp
// threads: 1,2,4,16
// With one iteration per task the neighbours are parallel.

#include <stdio.h>

int a[17];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp taskloop num_tasks(16)
        for (int i = 0; i < 16; i++)
            a[i] = a[i + 1] + i;
    }
    puts("done");
}
