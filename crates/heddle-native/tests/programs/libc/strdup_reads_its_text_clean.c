// expect: clean
// flags: -fopenmp
// Another text is changed.

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
        other[1] = 'x';
    }
}
