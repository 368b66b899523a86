// expect: race 22 22
// flags: -fopenmp
// threads: 1,2,4,16
// Two deferred tasks go on in undeferred ones, which count in one variable; what they hand up is their own.

#include <stdio.h>

int calls;

static int tree(int depth)
{
    int left, right;
    if (depth == 0)
        return 1;
    #pragma omp task shared(left) if (depth > 9)
    left = tree(depth - 1);

    #pragma omp task shared(right) if (depth > 9)
    right = tree(depth - 1);

    #pragma omp taskwait
    calls++;
    return left + right;
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    printf("%d\n", tree(10));
}
