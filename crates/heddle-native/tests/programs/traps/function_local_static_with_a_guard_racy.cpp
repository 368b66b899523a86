// expect: race 34 34
// flags: -fopenmp -std=c++17
// threads: 1,2,4,16
// The object is built once, but its member is then changed by every task.

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
            table().uses++;
        }
    }
    puts("done");
}
