// expect: race 22 26
// flags: -fopenmp
// threads: 1,2,4,16
// The second writer names another variable and overtakes the reader.

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
    #pragma omp single
    {
        #pragma omp task depend(in : x)
        use(x);
        #pragma omp task depend(in : x)
        use(0);
        #pragma omp task depend(out : y)
        x = 2;
    }
    puts("done");
}
