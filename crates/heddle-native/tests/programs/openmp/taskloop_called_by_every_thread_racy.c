// expect: race 17 17
// flags: -fopenmp
// threads: 2,4
// Without single, every thread of the team runs the whole taskloop.

#include <stdio.h>

int a[32];

int main(void)
{
    #pragma omp parallel
    {
        {
            #pragma omp taskloop num_tasks(4)
            for (int i = 0; i < 32; i++)
                a[i] += 1;
        }
    }
    puts("done");
}
