// expect: race 14 14
// flags: -fopenmp
// threads: 2,4
// Neighbouring iterations depend on each other.

#include <stdio.h>

int a[65], b[65];

int main(void)
{
    #pragma omp target teams distribute parallel for map(tofrom : a, b)
    for (int i = 0; i < 64; i++)
        a[i] = a[i + 1] + 1;
    puts("done");
}
