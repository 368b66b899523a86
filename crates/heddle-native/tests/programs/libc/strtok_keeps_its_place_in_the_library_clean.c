// expect: clean
// flags: -fopenmp
// Each task has its own place.

#include <string.h>

char first[] = "a b", second[] = "c d", *rest;
char *volatile token;

int main(void)
{
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
        #pragma omp task
        strtok(first, " ");
        #pragma omp task
        strtok_r(second, " ", &rest);
    }
}
