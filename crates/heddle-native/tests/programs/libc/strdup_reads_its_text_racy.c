// expect: race 16 18
// flags: -fopenmp
// The text is changed while it is duplicated.

#include <string.h>

char text[16] = "abc", other[16];
char *volatile copy;

int main(void)
{
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
        #pragma omp task
        copy = strdup(text);
        #pragma omp task
        text[1] = 'x';
    }
}
