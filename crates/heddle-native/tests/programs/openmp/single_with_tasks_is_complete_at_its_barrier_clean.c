// expect: clean
// flags: -fopenmp
// threads: 2,4,16
// The barrier of single waits for all tasks of the team.

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
    {
        #pragma omp single
        {
            #pragma omp task
            x = 1;
        }
        use(x);
    }
    printf("%d\n", x);
}
