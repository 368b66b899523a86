// expect: clean
// flags: -fopenmp
// threads: 2,4
// The loop's barrier comes after the combination.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int sum;

int main(void)
{
    #pragma omp parallel
    {
        #pragma omp for reduction(+ : sum)
        for (int i = 0; i < 64; i++)
            sum += i;
        use(sum);
    }
    printf("%d\n", sum);
}
