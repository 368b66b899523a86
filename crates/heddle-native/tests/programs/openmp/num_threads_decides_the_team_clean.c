// expect: clean
// flags: -fopenmp
// threads: 1,2,4
// A team of one thread shares with nobody.

#include <omp.h>
#include <stdio.h>

int total;

int main(void)
{
    omp_set_dynamic(0);
    #pragma omp parallel num_threads(1)
    total += 1;
    printf("%d\n", total);
}
