// expect: race 11:22 17:22
// flags: -fopenmp -O1
// threads: 1,4
// The columns cross the last row.

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
        column(table, 20, 4);
        #pragma omp task
        column(table, 20, 5);
        #pragma omp task
        row(table, 19, 24);
    }
    return 0;
}
