// expect: race 11:22 18:16
// flags: -fopenmp -O1
// threads: 1,4
// The map names some elements twice.

int cell[64], map[64];

__attribute__((noinline)) void scatter(int *cell, const int *map, int count)
{
    for (int i = 0; i < count; i++)
        cell[map[i]] = i;
}

__attribute__((noinline)) int gather(const int *cell, const int *map, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += cell[map[i]];
    return sum;
}

int main(void)
{
    for (int i = 0; i < 64; i++)
        map[i] = i * 10 % 64;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        scatter(cell, map, 32);
        #pragma omp task
        gather(cell, map + 32, 32);
    }
    return 0;
}
