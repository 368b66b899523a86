// expect: clean
// flags: -fopenmp -std=c++17
// threads: 1,2,4,16
// Each task has a deep copy, made when it was created and destroyed with it.

#include <cstdio>

struct Buffer {
    int *cells;
    Buffer() : cells(new int[8]()) {}
    Buffer(const Buffer &other) : cells(new int[8])
    {
        for (int i = 0; i < 8; i++)
            cells[i] = other.cells[i];
    }
    ~Buffer() { delete[] cells; }
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
    printf("%d\n", out[7]);
}
