// expect: race 25 25
// flags: -fopenmp
// threads: 1,2,4,16
// The rounds are waited for, but within a round the tasks share a cell.

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
            last = i;
            offset++;
            use(i);
        }
    }
    puts("done");
}
