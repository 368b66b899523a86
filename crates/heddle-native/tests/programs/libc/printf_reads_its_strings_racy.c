// expect: race 16 18
// flags: -fopenmp
// A string is changed while it is printed.

#include <stdio.h>

char text[16] = "abc", other[16];
int seven = 7;

int main(void)
{
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
        #pragma omp task
        printf("%d %5.2f %Lf %d %d %d %d %d %s\n", seven, 1.5, 2.5L, 1, 2, 3, 4, 5, text);
        #pragma omp task
        text[2] = 'x';
    }
}
