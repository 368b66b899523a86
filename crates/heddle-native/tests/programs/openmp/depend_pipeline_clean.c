// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// Each stage depends on the stage before and on its own previous item.

#include <stdio.h>

int a[8], b[8], state[2];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        for (int i = 0; i < 8; i++) {
            #pragma omp task depend(inout : state[0]) depend(out : a[i])
            a[i] = i;
            #pragma omp task depend(inout : state[1]) depend(in : a[i])
            b[i] = a[i] * 2;
        }
    }
    printf("%d\n", b[7]);
}
