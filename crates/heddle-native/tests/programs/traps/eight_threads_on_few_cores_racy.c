// expect: race 17 17
// flags: -fopenmp
// threads: 2,4
// Eight threads write one cell of the table.

#include <omp.h>
#include <stdio.h>

int table[8][64];

int main(void)
{
    omp_set_dynamic(0);
    #pragma omp parallel num_threads(8)
    {
        for (int round = 0; round < 10; round++) {
            table[0][round] = round;
            #pragma omp barrier
        }
    }
    puts("done");
}
