// expect: clean
// flags: -fopenmp
// threads: 2,4
// The flag is atomic and carries the whole message.

#include <omp.h>
#include <stdio.h>

volatile int flag;

int main(void)
{
    omp_set_dynamic(0);
    #pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            #pragma omp atomic write
            flag = 1;
            #pragma omp flush
        } else {
            int seen = 0;
            while (!seen) {
                #pragma omp flush
                #pragma omp atomic read
                seen = flag;
            }
        }
    }
    printf("%d\n", flag);
}
