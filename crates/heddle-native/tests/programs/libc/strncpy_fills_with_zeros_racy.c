// expect: race 15 17
// flags: -fopenmp
// What strncpy fills with zeros is written too.

#include <string.h>

char text[32], source[8] = "ab";

int main(void)
{
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
        #pragma omp task
        strncpy(text, source, 16);
        #pragma omp task
        text[15] = 1;
    }
}
