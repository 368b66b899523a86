// expect: race 14 21
// expect: race 22 21
// flags: -fopenmp
// threads: 1,2,4,16
// A node adds up its children before they are complete.

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
    int both = sum[2 * node] + sum[2 * node + 1];
    sum[node] = both;
    #pragma omp taskwait
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    visit(1);
    puts("done");
}
