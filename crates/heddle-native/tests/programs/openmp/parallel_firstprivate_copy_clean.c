// expect: clean
// flags: -fopenmp
// threads: 2,4
// firstprivate gives every thread a copy that starts at the same value.

#include <stdio.h>

int main(void)
{
    int offset = 5;
    int sum = 0;
    #pragma omp parallel firstprivate(offset) reduction(max : sum)
    {
        offset += 1;
        sum = offset;
    }
    printf("%d\n", sum);
}
