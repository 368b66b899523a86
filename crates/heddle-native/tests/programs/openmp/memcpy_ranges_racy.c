// expect: race 18 20
// flags: -fopenmp
// threads: 1,2,4,16
// The range one task copies from overlaps the range the other fills.

#include <stdio.h>
#include <string.h>

char buffer[256], copy[256];
int size = 50;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        memset(buffer + 100, 'x', 2 * size);
        #pragma omp task
        memcpy(copy, buffer + size, size + 1);
    }
    puts("done");
}
