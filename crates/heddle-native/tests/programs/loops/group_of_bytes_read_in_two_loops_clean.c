// expect: clean
// flags: -fopenmp -O3
// threads: 1,4
// The first loop ends with one of the two bytes, the second before the other.

#include <heddle.h>
#include <stdio.h>

static unsigned char cell[24];

__attribute__((noinline)) void see(const unsigned char *cell, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += cell[i];
    if (sum == 999)
        puts("never");
}

int main(void)
{
    HEDDLE_ATOMIC_GROUP(cell[5], cell[9]);
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        {
            #pragma omp critical
            see(cell, 6);
            #pragma omp critical
            see(cell + 6, 3);
        }
        #pragma omp task
        {
            #pragma omp critical
            cell[9] = 1;
        }
    }
    return 0;
}
