// expect: race 27 30
// flags: -fopenmp
// threads: 1,2,4,16
// The read comes before the taskwait that waits for the event.

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
        use(x);
        #pragma omp taskwait
    }
    puts("done");
}
