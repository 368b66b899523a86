// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The innermost of many undeferred tasks waits for the deferred one it creates.

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
        #pragma omp taskwait
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
        use(x);
    }
    puts("done");
}
