// expect: clean
// flags: -fopenmp -O1
// threads: 1,4
// Two columns side by side, and the row at which they end.

int table[20][24];

__attribute__((noinline)) void column(int table[][24], int rows, int at)
{
    for (int i = 0; i < rows; i++)
        table[i][at] += at;
}

__attribute__((noinline)) void row(int table[][24], int at, int columns)
{
    for (int i = 0; i < columns; i++)
        table[at][i] += at;
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        column(table, 19, 4);
        #pragma omp task
        column(table, 19, 5);
        #pragma omp task
        row(table, 19, 24);
    }
    return 0;
}
