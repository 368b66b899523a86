// expect: clean
// flags: -fopenmp
// threads: 2,4
// A barrier of the outer team stands between the writes and the reads.

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
        #pragma omp barrier
        use(value[1 - me]);
    }
    printf("%d %d\n", value[0], value[1]);
}
