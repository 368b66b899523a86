// expect: race 15 17
// flags: -fopenmp
// The text is changed while it is put out.

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
        text[0] = 'x';
    }
}
