// expect: race 13:17
// flags: -fopenmp -O2
// threads: 1,4
// Each task reaches into the share of the next, on the stack of the parent.

#include <stdio.h>

static _Thread_local int own[50];

__attribute__((noinline)) void fill(int *cell, int count, int by)
{
    for (int i = 0; i < count; i++)
        cell[i] += by;
}

__attribute__((noinline)) int work(int by)
{
    int local[50] = {0};
    fill(local, 50, by);
    fill(own, 50, by);
    return local[by] + own[by];
}

int main(void)
{
    int parents[50] = {0};
    #pragma omp parallel
    #pragma omp single
    {
        for (int i = 0; i < 8; i++) {
            #pragma omp task shared(parents)
            fill(parents + 6 * i, 7, work(i) & 1);
        }
        #pragma omp taskwait
        fill(parents, 50, 1);
    }
    printf("%d\n", parents[3] >= 0);
}
