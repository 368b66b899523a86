// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// Eight tasks write eight neighbouring bytes.

#include <stdio.h>

char bytes[8] __attribute__((aligned(8)));

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        for (int i = 0; i < 8; i++) {
            #pragma omp task
            bytes[i] = (char)(i + 1);
        }
        #pragma omp taskwait
    }
    printf("%d %d\n", bytes[0], bytes[7]);
}
