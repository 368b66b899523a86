// expect: clean
// flags: -fopenmp -O1
// threads: 1,4
// Each iteration takes the lock and gives it back.

#include <omp.h>

int total, cell[40];
omp_lock_t lock;

static void count(int by)
{
    omp_set_lock(&lock);
    total += by;
    omp_unset_lock(&lock);
}

__attribute__((noinline)) void each(int *cell, int count_to)
{
    for (int i = 0; i < count_to; i++) {
        cell[i] += 1;
        count(i);
    }
}

int main(void)
{
    omp_init_lock(&lock);
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        each(cell, 20);
        #pragma omp task
        each(cell + 20, 20);
        #pragma omp task
        for (int i = 0; i < 9; i++)
            count(i);
    }
    return 0;
}
