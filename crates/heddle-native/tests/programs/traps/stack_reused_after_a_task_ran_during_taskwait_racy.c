// expect: race 32 36
// flags: -fopenmp
// threads: 1,2,4,16
// After the wait the parent writes a variable that a task of another branch also writes.

#include <stdio.h>

int cell;
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
                if (i == 7)
                    cell = 1;
            }
        }
        #pragma omp task
        cell = 2;
        #pragma omp taskwait
    }
    puts("done");
}
