// expect: race 11:17 25:27 26:27 27:27 28:27 29:27 30:27 31:27 32:27 33:27
// flags: -fopenmp -O3
// threads: 1,4
// The last element of each row is touched from outside, whatever the number of iterations.

int row[10][12];

__attribute__((noinline)) void add(int *cell, int count)
{
    for (int i = 0; i < count; i++)
        cell[i] += count;
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        for (int n = 1; n < 10; n++) {
            #pragma omp task
            add(row[n], n);
        }
        #pragma omp task
        {
            row[1][1 - 1] = 1;
            row[2][2 - 1] = 1;
            row[3][3 - 1] = 1;
            row[4][4 - 1] = 1;
            row[5][5 - 1] = 1;
            row[6][6 - 1] = 1;
            row[7][7 - 1] = 1;
            row[8][8 - 1] = 1;
            row[9][9 - 1] = 1;
        }
    }
    return 0;
}
