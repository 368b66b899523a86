// expect: clean
// flags: -fopenmp
// threads: 2,4
// lastprivate copies only the value of the sequentially last iteration out.

#include <stdio.h>

int main(void)
{
    int last = 0;
    #pragma omp parallel for schedule(static) lastprivate(last)
    for (int i = 0; i < 40; i++)
        last = i * i;
    printf("%d\n", last);
}
