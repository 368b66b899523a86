// expect: race 15 17
// flags: -fopenmp
// A character within the precision is overwritten.

#include <stdio.h>

char text[16] = "abcdef";

int main(void)
{
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
        #pragma omp task
        printf("%.*s\n", 3, text);
        #pragma omp task
        text[2] = 'x';
    }
}
