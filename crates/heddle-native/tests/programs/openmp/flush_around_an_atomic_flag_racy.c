// expect: race 23 32
// flags: -fopenmp
// threads: 2,4
// Without the flushes the relaxed flag orders nothing.

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
            #pragma omp atomic write relaxed
            flag = 1;
        } else {
            int seen = 0;
            while (!seen) {
                #pragma omp atomic read relaxed
                seen = flag;
            }
            use(data);
        }
    }
    puts("done");
}
