// expect: race 24 22
// flags: -fopenmp
// threads: 2,4
// The write after the ordered region is not ordered with the next iteration's ordered region.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int a[66];

int main(void)
{
    #pragma omp parallel for ordered schedule(static, 1)
    for (int i = 1; i < 64; i++) {
        #pragma omp ordered
        {
            use(a[i - 1]);
        }
        a[i] = i;
    }
    puts("done");
}
