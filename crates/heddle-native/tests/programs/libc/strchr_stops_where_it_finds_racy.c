// expect: race 16 18
// flags: -fopenmp
// The byte found is overwritten.

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
        text[2] = 'c';
    }
}
