// expect: race 13:9 21:21
// flags: -fopenmp -O2
// threads: 1,4
// Six bytes of each row are copied, the last of which is written elsewhere.

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
        rows(table, source, 30, 6);
        #pragma omp task
        rest(table, 30);
    }
    return 0;
}
