// expect: race 16 18
// flags: -fopenmp
// Both tasks use strtok, which has one place for all.

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
        strtok(second, " ");
    }
}
