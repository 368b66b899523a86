// expect: race 20 20
// flags: -fopenmp
// threads: 2,4,16
// Every thread of the team increments the same variable.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int count[16];

int main(void)
{
    #pragma omp parallel
    {
        count[0]++;
    }
    int touched = 0;
    for (int i = 0; i < 16; i++)
        touched += count[i] > 0;
    use(touched);
    puts("done");
}
