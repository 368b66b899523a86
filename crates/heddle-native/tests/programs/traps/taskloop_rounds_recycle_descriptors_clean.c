// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// Loop bounds and captured values live in recycled descriptors.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int a[64], last;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    for (int round = 0; round < 20; round++) {
        int offset = round;
        #pragma omp taskloop num_tasks(8) firstprivate(offset)
        for (int i = 0; i < 64; i++) {
            a[i] += offset;
            offset++;
            use(i);
        }
    }
    printf("%d\n", a[0]);
}
