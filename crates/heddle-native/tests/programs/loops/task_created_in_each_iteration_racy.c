// expect: race 11:17 13:19
// flags: -fopenmp -O2
// threads: 1,4
// A task reads what the next iteration writes.

int cell[40], seen[40];

__attribute__((noinline)) void produce(int *cell, int count)
{
    for (int i = 0; i < count; i++) {
        cell[i] = i;
        #pragma omp task
        seen[i] = cell[i + 1];
    }
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    produce(cell, 30);
    return 0;
}
