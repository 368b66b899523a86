// expect: clean
// flags: -fopenmp -O2
// threads: 1,4
// The loop may run to 100; it writes nothing from 40 on and reads no key after 40.

int cell[100];
int key[100];

__attribute__((noinline)) int mark(int *cell, const int *key, int count)
{
    int i;
    for (i = 0; i < count; i++) {
        if (key[i] == 7)
            break;
        cell[i] = i;
    }
    return i;
}

int main(void)
{
    key[40] = 7;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        mark(cell, key, 100);
        #pragma omp task
        cell[40] = 1;
        #pragma omp task
        key[41] = 1;
    }
    return 0;
}
