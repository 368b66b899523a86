// expect: race 13 13
// flags: -fopenmp
// threads: 2,4
// The offset is shared and each thread moves it.

#include <stdio.h>

int main(void)
{
    int offset = 5;
    #pragma omp parallel shared(offset)
    {
        offset += 1;
    }
    puts("done");
}
