// expect: clean
// flags: -fopenmp -O2
// threads: 1,4
// Both loops read the same elements; what lies behind is written.

int input[80], left[80], right[80];

__attribute__((noinline)) void smooth(int *restrict out, const int *restrict in, int count)
{
    for (int i = 0; i < count; i++)
        out[i] = in[i] + in[i + 1] * 2 + in[i + 2];
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        smooth(left, input, 50);
        #pragma omp task
        smooth(right, input + 1, 50);
        #pragma omp task
        input[53] = 1;
        #pragma omp task
        left[50] = 1;
    }
    return 0;
}
