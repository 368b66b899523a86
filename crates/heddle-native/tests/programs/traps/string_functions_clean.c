// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// They work on different strings.

#include <stdio.h>
#include <string.h>

char first[64] = "abc", second[64] = "abd";
int order;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        strcat(second, "d");
        #pragma omp task
        order = strncmp(first, "abx", 2) == 0;
    }
    printf("%d %s\n", order, second);
}
