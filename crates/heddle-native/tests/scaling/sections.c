// Sections that only count, in chunks that any thread may get, or at the end of regions: memory once they are many,
// and once they are twice as many.
#include <stdio.h>
#include <sys/resource.h>

#define FEW 250000

static long counted;

static void chunks(long n)
{
#pragma omp parallel for schedule(dynamic, 1) num_threads(2)
    for (long i = 0; i < n; i++) {
#pragma omp critical
        counted += i;
    }
}

static void reductions(long n)
{
    for (long i = 0; i < n; i++) {
#pragma omp parallel reduction(+ : counted) num_threads(2)
        counted++;
    }
}

// At most, in KiB.
static long resident(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss;
}

int main(void)
{
    DO(FEW);
    long few = resident();
    DO(FEW);
    printf("%ld %ld\n", few, resident());
    return counted == 0;
}
