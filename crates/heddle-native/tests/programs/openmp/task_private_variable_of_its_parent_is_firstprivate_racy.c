// expect: race 23 23
// flags: -fopenmp
// threads: 1,2,4,16
// The tasks were told to share the parent's variable.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        int local = 3;
        for (int i = 0; i < 4; i++) {
            #pragma omp task shared(local)
            {
                local += 1;
                use(local);
            }
        }
        #pragma omp taskwait
    }
    puts("done");
}
