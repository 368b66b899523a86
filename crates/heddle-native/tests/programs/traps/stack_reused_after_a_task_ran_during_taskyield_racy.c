// expect: race 28 28
// flags: -fopenmp
// threads: 1,2,4,16
// The tasks write one cell after they yielded.

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
            cell = i;
        }
    }
    puts("done");
}
