// expect: race 22 24
// flags: -fopenmp -std=c++17
// A task deletes the object that its sibling reads.

#include <cstddef>
#include <new>

struct alignas(64) Wide {
    int value = 1;
};

int seen[64];
Wide *shared;

int main()
{
    shared = new Wide;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        seen[0] = shared->value;
        #pragma omp task
        delete shared;
    }
}
