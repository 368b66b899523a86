// expect: race 21 24
// flags: -fopenmp
// threads: 2,4
// The sections share the result.

#include <omp.h>
#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int main(void)
{
    int result = 0;
    #pragma omp parallel sections shared(result)
    {
        #pragma omp section
        result = 1;
        #pragma omp section
        {
            result = 2;
            use(omp_get_num_procs());
        }
    }
    puts("done");
}
