// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The read comes after the taskwait.

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
    #pragma omp parallel
    #pragma omp single
    {
        omp_event_handle_t event;
        #pragma omp task detach(event)
        use(0);
        #pragma omp task firstprivate(event)
        {
            x = 1;
            omp_fulfill_event(event);
        }
        #pragma omp taskwait
        use(x);
    }
    printf("%d\n", x);
}
