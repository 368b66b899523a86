// expect: race 13:21
// flags: -fopenmp -O2
// threads: 1,4
// Both loops take the same elements.

int cell[64];
char mine[64];

__attribute__((noinline)) void update(int *cell, const char *mine, int wanted, int count)
{
    for (int i = 0; i < count; i++)
        if (mine[i] == wanted)
            cell[i] += 1;
}

int main(void)
{
    for (int i = 0; i < 64; i++)
        mine[i] = i % 3 == 0;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        update(cell, mine, 1, 64);
        #pragma omp task
        update(cell, mine, 1, 64);
    }
    return 0;
}
