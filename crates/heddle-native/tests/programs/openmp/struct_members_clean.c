// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// Each task writes its own member.

#include <stdio.h>

struct point {
    double x, y, z;
} point, copy;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        point.y = 1.0;
        #pragma omp task
        point.z = 2.0;
    }
    printf("%.0f %.0f\n", point.y, point.z);
}
