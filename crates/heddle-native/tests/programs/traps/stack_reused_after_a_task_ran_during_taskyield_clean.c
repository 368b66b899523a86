// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// Whatever ran during the yield used the stack below, and is gone.

#include <stdio.h>

int out[16], cell;

__attribute__((noinline)) static int fill(int seed)
{
    int array[40];
    for (int k = 0; k < 40; k++)
        array[k] = seed + k;
    return array[seed % 40];
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 16; i++) {
        #pragma omp task
        {
            int before = fill(i);
            #pragma omp taskyield
            out[i] = before + fill(i + 1);
        }
    }
    printf("%d\n", out[15]);
}
