// expect: clean
// flags: -fopenmp -O2
// threads: 1,4
// The end of a range is not part of it.

double value[70];
float part[70];

__attribute__((noinline)) void scale(double *at, const double *end)
{
    while (at != end)
        *at++ *= 2;
}

__attribute__((noinline)) float total(const float *at, const float *end)
{
    float sum = 0;
    while (at < end)
        sum += *at++;
    return sum;
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        scale(value + 1, value + 34);
        #pragma omp task
        scale(value + 34, value + 70);
        #pragma omp task
        total(part, part + 35);
        #pragma omp task
        part[35] = 1;
    }
    return 0;
}
