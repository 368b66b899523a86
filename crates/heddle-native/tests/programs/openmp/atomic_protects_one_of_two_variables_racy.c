// expect: race 23 23
// flags: -fopenmp
// threads: 2,4
// Atomic covers the one statement it precedes, not the next.

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
        y += 1.0;
        use(i);
    }
    puts("done");
}
