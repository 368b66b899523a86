// expect: clean
// flags: -fopenmp
// threads: 2,4,16
// The update is inside the ordered region, which runs in iteration order.

#include <stdio.h>

int trace[64], used;

int main(void)
{
    #pragma omp parallel for ordered schedule(dynamic)
    for (int i = 0; i < 16; i++) {
        #pragma omp ordered
        {
            trace[used++] = i;
        }
    }
    printf("%d %d\n", trace[15], used);
}
