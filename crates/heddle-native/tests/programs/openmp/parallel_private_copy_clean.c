// expect: clean
// flags: -fopenmp
// threads: 2,4
// private(temp) gives each thread its own.

#include <stdio.h>

int main(void)
{
    int temp = 0;
    int result[64] = {0};
    #pragma omp parallel for schedule(static) private(temp)
    for (int i = 0; i < 64; i++) {
        temp = i * 2;
        result[i] = temp;
    }
    printf("%d %d\n", result[63], temp);
}
