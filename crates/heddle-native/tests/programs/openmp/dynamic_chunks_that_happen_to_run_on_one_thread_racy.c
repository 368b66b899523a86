// expect: race 20 20
// flags: -fopenmp
// threads: 2,4,16
// Two short iterations may both be taken by the first thread to arrive; another schedule splits them.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int sum;

int main(void)
{
    #pragma omp parallel for schedule(dynamic)
    for (int i = 1; i < 3; i++) {
        sum += i;
        use(i);
    }
    puts("done");
}
