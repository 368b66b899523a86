// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// env: OMP_CANCELLATION=true
// The read comes after the group; a cancelled task was never started.

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
        }
        use(found);
    }
    printf("%d\n", found);
}
