// expect: race 17 17
// flags: -fopenmp
// threads: 2,4
// The threads come and go quickly; all of them write the cell once.

#include <omp.h>
#include <stdio.h>

int cell[16];

int main(void)
{
    omp_set_dynamic(0);
    for (int round = 0; round < 5; round++) {
        #pragma omp parallel num_threads(16)
        {
            cell[0] = round;
        }
    }
    puts("done");
}
