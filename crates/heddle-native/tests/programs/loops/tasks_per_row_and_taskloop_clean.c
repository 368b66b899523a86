// expect: clean
// flags: -fopenmp -O2
// threads: 1,4
// Rows and shares of a loop lie side by side.

int table[12][10], line[100];

__attribute__((noinline)) void row(int *row, int columns)
{
    for (int i = 0; i < columns; i++)
        row[i] += 1;
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        for (int i = 0; i < 12; i++) {
            #pragma omp task
            row(table[i], 10);
        }
        #pragma omp taskloop grainsize(9)
        for (int i = 0; i < 90; i++)
            line[i] = line[i * 1] + 1;
    }
    return 0;
}
