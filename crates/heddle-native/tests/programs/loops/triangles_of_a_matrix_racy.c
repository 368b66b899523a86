// expect: race 12:26 19:26
// flags: -fopenmp -O3
// threads: 1,4
// Both triangles contain the diagonal.

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
        for (int j = i; j < size; j++)
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
