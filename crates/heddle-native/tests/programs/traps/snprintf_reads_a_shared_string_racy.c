// expect: race 17 19
// flags: -fopenmp
// threads: 1,2,4,16
// Formatting reads the string that another task changes.

#include <stdio.h>

char text[32] = "hello";
char line[64];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        snprintf(line, sizeof line, "[%s] %d", text, 1);
        #pragma omp task
        text[0] = 'j';
    }
    puts("done");
}
