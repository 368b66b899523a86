// expect: race 20 19
// expect: race 14 19
// flags: -fopenmp
// threads: 1,2,4,16
// Each level reads its child's result without waiting.

#include <stdio.h>

int depth_of[402];

static void descend(int level)
{
    if (level == 400) {
        depth_of[level] = 0;
        return;
    }
    #pragma omp task
    descend(level + 1);
    int below = depth_of[level + 1];
    depth_of[level] = below + 1;
    #pragma omp taskwait
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    descend(0);
    puts("done");
}
