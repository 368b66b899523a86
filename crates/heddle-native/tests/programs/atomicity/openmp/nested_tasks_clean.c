// expect: clean
// flags: -fopenmp
// threads: 1,4
// Every node of a tree of tasks counts itself, in one section.

#include <heddle.h>
#include <stdio.h>

static int nodes;

static void visit(int depth)
{
    if (depth > 0) {
        #pragma omp task
        visit(depth - 1);
        #pragma omp task
        visit(depth - 1);
    }
    #pragma omp critical
    {
        int seen = nodes;
        nodes = seen + 1;
    }
}

int main(void)
{
    HEDDLE_ATOMIC(nodes);
    #pragma omp parallel
    #pragma omp single
    visit(4);
    printf("%d\n", nodes > 0);
    return 0;
}
