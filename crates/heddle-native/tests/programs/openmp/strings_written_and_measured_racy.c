// expect: race 18 20
// flags: -fopenmp
// threads: 1,2,4,16
// One task builds a string while the other measures it.

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
        #pragma omp task
        length = (int)strlen(text);
        #pragma omp taskwait
    }
    puts("done");
}
