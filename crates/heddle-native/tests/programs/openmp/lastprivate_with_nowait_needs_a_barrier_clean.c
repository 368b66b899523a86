// expect: clean
// flags: -fopenmp
// threads: 2,4
// The loop's own barrier orders the copy-out before the reads.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int last;

int main(void)
{
    #pragma omp parallel
    {
        #pragma omp for lastprivate(last) schedule(static)
        for (int i = 0; i < 40; i++)
            last = i;
        use(last);
    }
    printf("%d\n", last);
}
