// expect: clean
// flags: -fopenmp -O2
// threads: 1,4
// Five bytes and one of each row are written here, two elsewhere.

#include <string.h>

char table[30][8], source[64];

__attribute__((noinline)) void rows(char table[][8], const char *source, int count, size_t length)
{
    for (int i = 0; i < count; i++) {
        memcpy(table[i], source + i, length);
        memset(table[i] + 7, i, 1);
    }
}

__attribute__((noinline)) void rest(char table[][8], int count)
{
    for (int i = 0; i < count; i++) {
        table[i][5] = 1;
        table[i][6] = 2;
    }
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        rows(table, source, 30, 5);
        #pragma omp task
        rest(table, 30);
    }
    return 0;
}
