// expect: race 18 20
// flags: -fopenmp
// threads: 1,2,4,16
// One of many readers also writes.

#include <stdio.h>

int input[8] = {1, 2, 3, 4, 5, 6, 7, 8};
int out[16];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 16; i++) {
        #pragma omp task
        {
            out[i] = input[i % 8];
            if (i == 9)
                input[2] = 0;
        }
    }
    puts("done");
}
