// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The string is complete before it is measured.

#include <stdio.h>
#include <string.h>

char text[64];
int length;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        strcpy(text, length ? "longer text" : "text");
        #pragma omp taskwait
        #pragma omp task
        length = (int)strlen(text);
        #pragma omp taskwait
    }
    printf("%d\n", length);
}
