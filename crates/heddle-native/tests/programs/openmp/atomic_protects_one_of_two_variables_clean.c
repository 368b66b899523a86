// expect: clean
// flags: -fopenmp
// threads: 2,4
// Each update is atomic.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int x;
double y;

int main(void)
{
    #pragma omp parallel for
    for (int i = 0; i < 32; i++) {
        #pragma omp atomic
        x += 1;
        #pragma omp atomic
        y += 1.0;
        use(i);
    }
    printf("%d %.0f\n", x, y);
}
