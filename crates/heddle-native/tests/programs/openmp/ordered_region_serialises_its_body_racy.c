// expect: race 14 14
// flags: -fopenmp
// threads: 2,4,16
// The update stands before the ordered region.

#include <stdio.h>

int trace[64], used;

int main(void)
{
    #pragma omp parallel for ordered schedule(dynamic)
    for (int i = 0; i < 16; i++) {
        used = i;
        #pragma omp ordered
        {
            trace[i] = i;
        }
    }
    puts("done");
}
