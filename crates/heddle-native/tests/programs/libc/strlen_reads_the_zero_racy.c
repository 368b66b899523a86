// expect: race 16 18
// flags: -fopenmp
// The zero that ends the text is overwritten.

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
        text[3] = 'd';
    }
}
