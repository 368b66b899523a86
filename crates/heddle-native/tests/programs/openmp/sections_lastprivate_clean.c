// expect: clean
// flags: -fopenmp
// threads: 2,4
// lastprivate takes the value of the last section.

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
    #pragma omp parallel sections lastprivate(result)
    {
        #pragma omp section
        result = 1;
        #pragma omp section
        {
            result = 2;
            use(omp_get_num_procs());
        }
    }
    printf("%d\n", result);
}
