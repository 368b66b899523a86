// expect: race 13 26
// flags: -fopenmp
// A byte is used while it is read from a file.

#include <fcntl.h>
#include <unistd.h>

char buffer[64], seen;

void fill(void)
{
    int file = open("/dev/zero", O_RDONLY);
    if (read(file, buffer, 32) != 32)
        _exit(3);
    close(file);
}

int main(void)
{
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
        #pragma omp task
        fill();
        #pragma omp task
        seen = buffer[31];
    }
}
