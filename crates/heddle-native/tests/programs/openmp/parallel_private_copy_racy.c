// expect: race 13 13
// flags: -fopenmp
// threads: 2,4
// temp is shared by default, so the threads overwrite each other's value.

#include <stdio.h>

int main(void)
{
    int temp = 0;
    #pragma omp parallel for schedule(static)
    for (int i = 0; i < 64; i++) {
        temp = i * 2;
    }
    puts("done");
}
