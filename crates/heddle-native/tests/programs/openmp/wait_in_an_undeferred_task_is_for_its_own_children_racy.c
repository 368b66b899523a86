// expect: race 23 28
// flags: -fopenmp
// threads: 1,2,4,16
// The undeferred task waits for its own children, of which it has none.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int x;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        // The sibling that nothing has waited for.
        #pragma omp task
        x = 1;

        #pragma omp task if (0)
        {
            #pragma omp taskwait
            use(x);
        }
    }
    puts("done");
}
