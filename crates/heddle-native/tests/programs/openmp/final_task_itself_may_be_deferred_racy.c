// expect: race 22 23
// flags: -fopenmp
// threads: 1,2,4,16
// final says nothing about the task itself, only about its children.

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
    #pragma omp single
    {
        #pragma omp task final(1)
        x = 1;
        use(x);
    }
    puts("done");
}
