// expect: clean
// flags: -fopenmp
// What follows the zero is written.

#include <string.h>

char text[16] = "abc";
unsigned long len;

int main(void)
{
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
        #pragma omp task
        len = strlen(text);
        #pragma omp task
        text[4] = 'd';
    }
}
