// expect: race 17 23
// flags: -fopenmp
// threads: 2,4
// The flag itself is written and read without atomic.

#include <omp.h>
#include <stdio.h>

volatile int flag;

int main(void)
{
    omp_set_dynamic(0);
    #pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            flag = 1;
            #pragma omp flush
        } else {
            int seen = 0;
            while (!seen) {
                #pragma omp flush
                seen = flag;
            }
        }
    }
    puts("done");
}
