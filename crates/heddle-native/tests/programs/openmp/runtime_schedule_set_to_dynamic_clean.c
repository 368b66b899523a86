// expect: clean
// flags: -fopenmp
// threads: 2,4,16
// The update is atomic.

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
        #pragma omp atomic
        sum += i;
        use(i);
    }
    printf("%d\n", sum);
}
