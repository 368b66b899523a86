// expect: race 22 25
// flags: -fopenmp
// threads: 2,4,16
// Two sections may run on two threads.

#include <omp.h>
#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int x, y;

int main(void)
{
    #pragma omp parallel sections
    {
        #pragma omp section
        x = 1;
        #pragma omp section
        {
            x = 2;
            use(omp_get_num_procs());
        }
    }
    puts("done");
}
