// expect: clean
// flags: -fopenmp
// threads: 2,4,16
// Each section has its own variable.

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
            y = 2;
            use(omp_get_num_procs());
        }
    }
    printf("%d %d\n", x, y);
}
