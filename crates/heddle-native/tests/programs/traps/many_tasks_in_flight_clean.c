// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// Each of many unjoined tasks has its own element.

#include <stdio.h>

int a[2000];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 2000; i++) {
        #pragma omp task
        a[i] = i;
    }
    printf("%d\n", a[1999]);
}
