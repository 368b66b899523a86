// expect: race 21 24
// flags: -fopenmp
// threads: 2,4
// Without the loop's barrier the copy-out of lastprivate (at the directive) is not ordered before the reads
// of the other threads.

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
        #pragma omp for lastprivate(last) schedule(static) nowait
        for (int i = 0; i < 40; i++)
            last = i;
        use(last);
    }
    puts("done");
}
