// expect: clean
// flags: -fopenmp -O3
// threads: 1,4
// Groups of five in eight and of two in three; the gaps are written elsewhere.

int table[20][8];
short pairs[90];

__attribute__((noinline)) void rows(int table[][8], int count)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < 5; j++)
            table[i][j] = i + j;
}

__attribute__((noinline)) void gaps(int table[][8], int count)
{
    for (int i = 0; i < count; i++)
        table[i][5] = table[i][6] + table[i][7];
}

__attribute__((noinline)) void two_of_three(short *pairs, int end)
{
    for (int i = 0; i < end; i += 3) {
        pairs[i] += 1, pairs[i + 1] += 2;
    }
}

__attribute__((noinline)) void one_of_three(short *pairs, int end)
{
    for (int i = 0; i < end; i += 3)
        pairs[i + 2] += 3;
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        {
            rows(table, 20);
            two_of_three(pairs, 90);
        }
        #pragma omp task
        {
            gaps(table, 20);
            one_of_three(pairs, 90);
        }
    }
    return 0;
}
