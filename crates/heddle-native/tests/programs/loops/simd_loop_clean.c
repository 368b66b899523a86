// expect: clean
// flags: -fopenmp -O2
// threads: 1,4
// Ranges side by side.

float value[90];
double other[90];

__attribute__((noinline)) void scale(float *value, int from, int to)
{
    #pragma omp simd
    for (int i = from; i < to; i++)
        value[i] = value[i] * 2 + 1;
}

__attribute__((noinline)) void apart(double *other, int from, int to)
{
    #pragma omp simd safelen(2)
    for (int i = from; i < to; i++)
        other[i + 2] = other[i] + 1;
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        {
            scale(value, 1, 40);
            apart(other, 1, 40);
        }
        #pragma omp task
        {
            scale(value, 40, 90);
            apart(other, 42, 80);
        }
    }
    return 0;
}
