// expect: race 42 52
// flags: -fopenmp
// threads: 2,4
// The copy that a task captures makes itself known before the task is created, so that another task finds it.
#include <sched.h>

struct Probe;

static Probe *known;
static int done;

struct Probe {
    int value = 0;

    Probe() = default;

    Probe(const Probe &other) : value(other.value) {
#pragma omp critical
        known = this;
    }
};

static void wait_for_reader() {
    int is_done = 0;
    while (!is_done) {
        sched_yield();
#pragma omp atomic read
        is_done = done;
    }
}

int main() {
    Probe probe;
    int seen = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task firstprivate(probe)
        {
            {
                // Nothing but this write is made to the copy.
                probe.value = 1;
            }
            wait_for_reader();
        }
#pragma omp task shared(seen)
        {
            Probe *found;
#pragma omp critical
            found = known;
            {
                seen = found->value;
            }
#pragma omp atomic write
            done = 1;
        }
    }
    return seen > 1;
}
