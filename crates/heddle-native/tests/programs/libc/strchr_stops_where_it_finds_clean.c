// expect: clean
// flags: -fopenmp
// A byte behind the one found is overwritten.

#include <string.h>

char text[16] = "abcdef";
char *volatile found;

int main(void)
{
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
        #pragma omp task
        found = strchr(text, 'c');
        #pragma omp task
        text[3] = 'x';
    }
}
