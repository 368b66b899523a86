// expect: race 16 16
// flags: -fopenmp
// threads: 1,2,4,16
// One of many tasks' elements is shared by two of them.

#include <stdio.h>

int a[2000];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 2000; i++) {
        #pragma omp task
        a[i == 1999 ? 7 : i] = i;
    }
    puts("done");
}
