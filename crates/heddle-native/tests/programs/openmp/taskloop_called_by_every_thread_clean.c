// expect: clean
// flags: -fopenmp
// threads: 2,4
// One thread starts it.

#include <stdio.h>

int a[32];

int main(void)
{
    #pragma omp parallel
    {
        #pragma omp single
        {
            #pragma omp taskloop num_tasks(4)
            for (int i = 0; i < 32; i++)
                a[i] += 1;
        }
    }
    printf("%d\n", a[31]);
}
