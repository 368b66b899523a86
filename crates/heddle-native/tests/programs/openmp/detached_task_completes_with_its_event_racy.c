// expect: race 28 31
// flags: -fopenmp
// threads: 1,2,4,16
// The data is written after the event was fulfilled.

#include <omp.h>
#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int x, token;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        omp_event_handle_t event;
        #pragma omp task detach(event) depend(out : token)
        use(0);
        #pragma omp task firstprivate(event)
        {
            omp_fulfill_event(event);
            x = 1;
        }
        #pragma omp task depend(in : token)
        use(x);
        #pragma omp taskwait
    }
    puts("done");
}
