// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// Each level waits for its child.

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
    #pragma omp taskwait
    int below = depth_of[level + 1];
    depth_of[level] = below + 1;
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    descend(0);
    printf("%d\n", depth_of[0]);
}
