// expect: clean
// flags: -fopenmp
// threads: 2,4
// What precedes an ordered region is ordered before the ordered regions of later iterations.

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
        a[i] = i;
        #pragma omp ordered
        {
            use(a[i - 1]);
        }
    }
    printf("%d\n", a[63]);
}
