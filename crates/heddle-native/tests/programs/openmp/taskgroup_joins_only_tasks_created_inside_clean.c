// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The writer is created inside the taskgroup.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int x, y;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp taskgroup
        {
            #pragma omp task
            x = 1;
            #pragma omp task
            y = 1;
        }
        use(x);
    }
    printf("%d %d\n", x, y);
}
