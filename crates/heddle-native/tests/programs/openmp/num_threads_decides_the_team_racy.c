// expect: race 15 15
// flags: -fopenmp
// threads: 1,2,4
// num_threads(3) makes a team of three whatever the environment says.

#include <omp.h>
#include <stdio.h>

int total;

int main(void)
{
    omp_set_dynamic(0);
    #pragma omp parallel num_threads(3)
    total += 1;
    puts("done");
}
