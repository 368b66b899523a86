// expect: clean
// flags: -fopenmp
// threads: 2,4
// The read is atomic too.

#include <omp.h>
#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int x;

int main(void)
{
    #pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            #pragma omp atomic update
            x += 1;
        } else {
            int seen;
            #pragma omp atomic read
            seen = x;
            use(seen);
        }
    }
    printf("%d\n", x);
}
