// expect: race 21 22
// flags: -fopenmp
// threads: 2,4
// Instead of copyin the master writes a shared variable that the team reads.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int base = 1;

int main(void)
{
    #pragma omp parallel
    {
        #pragma omp master
        base = 10;
        use(base);
    }
    puts("done");
}
