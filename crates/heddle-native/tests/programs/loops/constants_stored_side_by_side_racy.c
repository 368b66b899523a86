// expect: race 17:15 32:18
// flags: -fopenmp -O2
// threads: 1,4
// The compiler could join the four stores of zero into one of a width that is not seen.

struct record { long a, b, c, d; };

struct record shared;
double other[4];

__attribute__((noinline)) void clear(struct record *record, double *other)
{
    record->a = 0;
    other[0] = 1;
    record->b = 0;
    other[1] = 2;
    record->c = 0;
    other[2] = 3;
    record->d = 0;
    other[3] = 4;
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        clear(&shared, other);
        /* not waited for */
        #pragma omp task
        shared.c = 1;
    }
    return 0;
}
