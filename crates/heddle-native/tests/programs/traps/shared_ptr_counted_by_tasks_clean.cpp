// expect: clean
// flags: -fopenmp -std=c++17
// threads: 1,2,4,16
// Copies of a shared_ptr count atomically, and the tasks only read the object.

#include <cstdio>
#include <memory>

int out[8];

int main()
{
    auto number = std::make_shared<int>(5);
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 8; i++) {
        #pragma omp task firstprivate(number)
        {
            out[i] = *number + i;
        }
    }
    printf("%d\n", out[7]);
}
