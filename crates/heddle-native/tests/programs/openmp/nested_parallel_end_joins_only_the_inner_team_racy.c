// expect: race 27 29
// flags: -fopenmp
// threads: 2,4
// The end of the inner region orders nothing between the two outer threads.

#include <omp.h>
#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int value[2];

int main(void)
{
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
    #pragma omp parallel num_threads(2)
    {
        int me = omp_get_thread_num();
        #pragma omp parallel num_threads(2)
        {
            #pragma omp single
            value[me] = me + 1;
        }
        use(value[1 - me]);
    }
    puts("done");
}
