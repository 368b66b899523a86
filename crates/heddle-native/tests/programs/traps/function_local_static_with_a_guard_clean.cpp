// expect: clean
// flags: -fopenmp -std=c++17
// threads: 1,2,4,16
// The guarded initialisation happens once and before every use.

#include <cstdio>

struct Table {
    int value[8];
    int uses;
    Table() : uses(0)
    {
        for (int i = 0; i < 8; i++)
            value[i] = i * i;
    }
};

static Table &table()
{
    static Table the_table;
    return the_table;
}

int out[8];

int main()
{
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 8; i++) {
        #pragma omp task
        {
            out[i] = table().value[i];
        }
    }
    printf("%d\n", out[7]);
}
