// expect: race 20 34
// flags: -fopenmp
// threads: 1,2,4,16
// The innermost of many undeferred tasks leaves a deferred one behind, which its creators' waits do not join.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int x;

static void down(int depth)
{
    if (depth == 0) {
        #pragma omp task
        x = 1;
        return;
    }
    #pragma omp task if (0)
    down(depth - 1);
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        down(200);
        #pragma omp taskwait
        use(x);
    }
    puts("done");
}
