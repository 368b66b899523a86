// expect: race 23 27
// flags: -fopenmp
// threads: 2,4,16
// nowait lets the other threads read while the section writes.

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
    {
        #pragma omp sections nowait
        {
            #pragma omp section
            x = 1;
            #pragma omp section
            y = 2;
        }
        use(x);
    }
    puts("done");
}
