// expect: race 15 15
// flags: -fopenmp
// threads: 2,4
// Only the variable of the associated loop is private; the inner j is shared by all threads.

#include <stdio.h>

int m[8][8];

int main(void)
{
    int j;
    #pragma omp parallel for schedule(static)
    for (int i = 0; i < 8; i++)
        for (j = 0; j < 8; j++)
            m[i][j & 7] = i;
    puts("done");
}
