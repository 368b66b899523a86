// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// It waits for them.

#include <stdio.h>

int sum[64];

static void visit(int node)
{
    if (node >= 32) {
        sum[node] = node;
        return;
    }
    #pragma omp task
    visit(2 * node);
    #pragma omp task
    visit(2 * node + 1);
    #pragma omp taskwait
    int both = sum[2 * node] + sum[2 * node + 1];
    sum[node] = both;
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    visit(1);
    printf("%d\n", sum[1]);
}
