// expect: race 13 13
// flags: -fopenmp
// threads: 2,4
// The last value is kept in a shared variable that all iterations write.

#include <stdio.h>

int main(void)
{
    int last = 0;
    #pragma omp parallel for schedule(static)
    for (int i = 0; i < 40; i++)
        last = i * i;
    puts("done");
}
