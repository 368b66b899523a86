// expect: clean
// flags: -fopenmp
// threads: 2,4
// Each writes its own.

#include <omp.h>
#include <stdio.h>

int cell[16];

int main(void)
{
    omp_set_dynamic(0);
    for (int round = 0; round < 5; round++) {
        #pragma omp parallel num_threads(16)
        {
            cell[omp_get_thread_num()] = round;
        }
    }
    printf("%d\n", cell[15]);
}
