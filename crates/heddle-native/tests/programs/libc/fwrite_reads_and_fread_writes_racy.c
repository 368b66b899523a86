// expect: race 13 21
// flags: -fopenmp
// The file is read into what is written to another.

#include <stdio.h>
#include <stdlib.h>

char buffer[32], other[32];

void put(void)
{
    FILE *file = fopen("/dev/null", "w");
    if (!file || fwrite(buffer, 1, 32, file) != 32)
        exit(3);
    fclose(file);
}

void get(char *to)
{
    FILE *file = fopen("/dev/zero", "r");
    if (!file || fread(to, 1, 32, file) != 32)
        exit(3);
    fclose(file);
}

int main(void)
{
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
        #pragma omp task
        put();
        #pragma omp task
        get(buffer);
    }
}
