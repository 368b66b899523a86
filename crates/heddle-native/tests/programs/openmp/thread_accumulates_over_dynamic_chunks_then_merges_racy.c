// expect: race 18 18
// flags: -fopenmp
// threads: 2,4,16
// The merge of the private sums is not protected.

#include <stdio.h>

int total;

int main(void)
{
    #pragma omp parallel
    {
        int mine = 0;
        #pragma omp for schedule(dynamic) nowait
        for (int i = 0; i < 64; i++)
            mine += i;
        total += mine;
    }
    puts("done");
}
