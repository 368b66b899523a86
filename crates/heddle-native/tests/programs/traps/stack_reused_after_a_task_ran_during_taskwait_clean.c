// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// After the wait the parent's frames lie where the tasks it ran meanwhile had theirs.

#include <stdio.h>

int out[8];

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
    {
        for (int i = 0; i < 8; i++) {
            #pragma omp task
            {
                #pragma omp task
                out[i] = fill(i);
                #pragma omp taskwait
                out[i] += fill(i + 1);
            }
        }
        #pragma omp taskwait
    }
    printf("%d\n", out[7]);
}
