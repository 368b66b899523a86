// expect: race 18 20
// flags: -fopenmp
// threads: 1,2,4,16
// The second task copies the whole struct while a member is written.

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
        copy = point;
    }
    puts("done");
}
