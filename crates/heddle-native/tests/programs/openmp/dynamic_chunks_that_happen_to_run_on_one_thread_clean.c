// expect: clean
// flags: -fopenmp
// threads: 2,4,16
// The sum is a reduction.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int sum;

int main(void)
{
    #pragma omp parallel for schedule(dynamic) reduction(+ : sum)
    for (int i = 1; i < 3; i++) {
        sum += i;
        use(i);
    }
    printf("%d\n", sum);
}
