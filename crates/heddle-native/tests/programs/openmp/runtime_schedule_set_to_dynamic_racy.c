// expect: race 22 22
// flags: -fopenmp
// threads: 2,4,16
// schedule(runtime) is dynamic here and its chunks share a variable.

#include <omp.h>
#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int sum;

int main(void)
{
    omp_set_schedule(omp_sched_dynamic, 1);
    #pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 8; i++) {
        sum += i;
        use(i);
    }
    puts("done");
}
