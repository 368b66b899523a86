// expect: clean
// flags: -fopenmp -std=c++17
// threads: 1,2,4,16
// Each writes its own.

#include <cstdio>
#include <vector>

int main()
{
    std::vector<int> values(16);
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task shared(values)
        values[3] = 1;
        #pragma omp task shared(values)
        values[4] = 2;
    }
    printf("%d\n", values[4]);
}
