// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The string is changed after the wait.

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
        #pragma omp taskwait
        #pragma omp task
        text[0] = 'j';
    }
    printf("%s\n", line);
}
