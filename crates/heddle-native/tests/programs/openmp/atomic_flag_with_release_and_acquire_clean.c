// expect: clean
// flags: -fopenmp
// threads: 2,4
// A barrier orders the data.

#include <omp.h>
#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int data, flag;

int main(void)
{
    omp_set_dynamic(0);
    #pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            data = 1;
        }
        #pragma omp barrier
        use(data + flag);
    }
    printf("%d\n", data);
}
