// expect: race 19 19
// flags: -fopenmp -std=c++17
// threads: 2,4,16
// The tasks write the object the pointers share.

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
            *number = i;
        }
    }
    puts("done");
}
