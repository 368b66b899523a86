// expect: race 11:16 11:42 24:19 26:18
// flags: -fopenmp -O2
// threads: 1,4
// The last element that is read, by one of three reads, is written, and so is the last that is written.

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
        input[52] = 1;
        #pragma omp task
        left[49] = 1;
    }
    return 0;
}
