// expect: possible 25 36
// flags: -fopenmp
// threads: 2,4
// The reader's section read what the writer's section wrote, which orders the data in this run.

#include <omp.h>
#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int data, ready;
omp_lock_t lock;

int main(void)
{
    omp_set_dynamic(0);
    omp_init_lock(&lock);
    #pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            data = 1;
            omp_set_lock(&lock);
            ready = 1;
            omp_unset_lock(&lock);
        } else {
            int seen = 0;
            while (!seen) {
                omp_set_lock(&lock);
                seen = ready;
                omp_unset_lock(&lock);
            }
            use(data);
        }
    }
    printf("%d\n", data);
}
