// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// Every task changes its own copy of the array.

#include <stdio.h>

int out[64];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        int array[16] = {0};
        for (int i = 0; i < 64; i++) {
            array[i % 16] = i;
            #pragma omp task firstprivate(array)
            {
                array[3] += i;
                out[i] = array[3];
            }
        }
        #pragma omp taskwait
    }
    printf("%d\n", out[63]);
}
