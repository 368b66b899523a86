// expect: race 21 22
// flags: -fopenmp
// threads: 2,4
// master implies no barrier, so the others read while the master writes.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int x;

int main(void)
{
    #pragma omp parallel
    {
        #pragma omp master
        x = 1;
        use(x);
    }
    puts("done");
}
