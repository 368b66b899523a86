// expect: clean
// flags: -fopenmp
// threads: 2,4,16
// The barrier at the end of sections comes before the reads.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int x, y;

int main(void)
{
    #pragma omp parallel
    {
        #pragma omp sections
        {
            #pragma omp section
            x = 1;
            #pragma omp section
            y = 2;
        }
        use(x);
    }
    printf("%d %d\n", x, y);
}
