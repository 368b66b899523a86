// expect: clean
// flags: -fopenmp -std=c++17
// Objects of parallel tasks are made and deleted by each of them, with every operator.

#include <cstddef>
#include <new>

struct alignas(64) Wide {
    int value = 1;
};

int seen[64];

int main()
{
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 64; i++) {
        #pragma omp task
        {
            int *one = new int(i);
            int *many = new int[10]();
            int *maybe = new (std::nothrow) int(3);
            Wide *wide = new Wide;
            many[4] = *one + *maybe;
            wide->value = many[4];
            seen[i] = wide->value;
            delete wide;
            delete maybe;
            delete[] many;
            delete one;
        }
    }
}
