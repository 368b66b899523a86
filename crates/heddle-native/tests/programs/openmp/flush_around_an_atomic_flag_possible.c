// expect: possible 23 34
// flags: -fopenmp
// threads: 2,4
// flush, atomic write, atomic read, flush: the data was handed over in this run.

#include <omp.h>
#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int data, flag;

int main(void)
{
    omp_set_dynamic(0);
    #pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            data = 1;
            #pragma omp flush
            #pragma omp atomic write
            flag = 1;
        } else {
            int seen = 0;
            while (!seen) {
                #pragma omp atomic read
                seen = flag;
            }
            #pragma omp flush
            use(data);
        }
    }
    printf("%d\n", data);
}
