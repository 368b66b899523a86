// expect: clean
// flags: -fopenmp -O3
// threads: 1,4
// The inner bound depends on the outer index; row 0 of one and row 17 of the other are empty or short.

int matrix[18][18];

__attribute__((noinline)) void lower(int matrix[][18], int size)
{
    for (int i = 0; i < size; i++)
        for (int j = 0; j <= i; j++)
            matrix[i][j] += i;
}

__attribute__((noinline)) void upper(int matrix[][18], int size)
{
    for (int i = 0; i < size; i++)
        for (int j = i + 1; j < size; j++)
            matrix[i][j] -= j;
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        lower(matrix, 18);
        #pragma omp task
        upper(matrix, 18);
    }
    return 0;
}
