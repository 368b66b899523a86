// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The creator waits for the sibling, the undeferred task for a child of its own.

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
        #pragma omp task
        x = 1;

        #pragma omp taskwait
        #pragma omp task if (0)
        {
            #pragma omp task
            y = 1;

            #pragma omp taskwait
            use(x + y);
        }
        use(y);
    }
    puts("done");
}
