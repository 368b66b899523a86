// expect: clean
// flags: -fopenmp -O1
// threads: 1,4
// Without an iteration neither is touched.

int base, last, value[64];

__attribute__((noinline)) void copy(int *value, const int *base, int *last, int count)
{
    for (int i = 0; i < count; i++) {
        value[i] = *base + i;
        *last = i;
    }
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        base = 1;
        #pragma omp task
        copy(value, &base, &last, 0);
        #pragma omp task
        {
            last = 1;
            value[0] = 1;
        }
    }
    return 0;
}
