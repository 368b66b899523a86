// expect: race 23 25
// flags: -fopenmp -std=c++17
// threads: 1,2,4,16
// The tasks keep the address of the parent's object instead of copying its contents.

#include <cstdio>

struct Buffer {
    int *cells;
    Buffer() : cells(new int[8]()) {}
    Buffer(const Buffer &other) : cells(other.cells) {}
};

int out[8];

int main()
{
    #pragma omp parallel
    #pragma omp single
    {
        Buffer buffer;
        for (int i = 0; i < 8; i++) {
            buffer.cells[0] = i;
            #pragma omp task firstprivate(buffer)
            out[i] = buffer.cells[0];
        }
        #pragma omp taskwait
    }
    puts("done");
}
