// expect: race 16 18
// flags: -fopenmp -std=c++17
// threads: 1,2,4,16
// Two tasks write the same element.

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
        values[3] = 2;
    }
    puts("done");
}
