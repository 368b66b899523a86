// expect: race 26 29
// flags: -fopenmp
// threads: 1,2,4,16
// env: OMP_CANCELLATION=true
// The read stands inside the group, beside a task that may already run when the group is cancelled.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int found;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp taskgroup
        {
            #pragma omp task
            {
                found = 1;
                #pragma omp cancel taskgroup
            }
            use(found);
        }
    }
    puts("done");
}
