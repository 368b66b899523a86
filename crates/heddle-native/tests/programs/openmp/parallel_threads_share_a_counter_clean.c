// expect: clean
// flags: -fopenmp
// threads: 2,4,16
// Every thread has its own element.

#include <omp.h>
#include <stdio.h>

int count[16];

int main(void)
{
    #pragma omp parallel
    {
        count[omp_get_thread_num() % 16]++;
    }
    int touched = 0;
    for (int i = 0; i < 16; i++)
        touched += count[i] > 0;
    printf("%s\n", touched == omp_get_max_threads() ? "all" : "some");
}
