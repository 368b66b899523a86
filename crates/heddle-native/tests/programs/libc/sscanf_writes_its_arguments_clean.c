// expect: clean
// flags: -fopenmp
// A number that was not scanned is read in parallel.

#include <stdio.h>

int one = 1, two = 2, three = 3, seen;
char word[8];

int main(void)
{
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
        #pragma omp task
        sscanf("10 abc 20 x", "%d %7s %d %d", &one, word, &two, &three);
        #pragma omp task
        seen = three;
    }
}
