// expect: clean
// flags: -fopenmp
// Another text is changed.

#include <stdio.h>

char text[16] = "abc", other[16];

int main(void)
{
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
        #pragma omp task
        puts(text);
        #pragma omp task
        other[0] = 'x';
    }
}
