// expect: possible 23 33
// flags: -fopenmp
// threads: 2,4
// The acquire read saw the release write in this run, which orders the data; in another run it might not.

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
            #pragma omp atomic write release
            flag = 1;
        }
        else {
            int seen = 0;
            while (!seen) {
                #pragma omp atomic read acquire
                seen = flag;
            }
            use(data);
        }
    }
    printf("%d\n", data);
}
