// expect: race 17 19
// flags: -fopenmp
// threads: 1,2,4,16
// The second stage of an item does not depend on its first stage.

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
            #pragma omp task depend(inout : state[1])
            b[i] = a[i] * 2;
        }
    }
    puts("done");
}
