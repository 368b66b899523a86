// expect: race 21 22
// flags: -fopenmp
// threads: 2,4,16
// The threads that skip the single do not wait for the one inside.

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
        #pragma omp single nowait
        x = 42;
        use(x);
    }
    puts("done");
}
