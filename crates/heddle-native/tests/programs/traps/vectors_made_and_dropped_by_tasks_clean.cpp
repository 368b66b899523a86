// expect: clean
// flags: -fopenmp -std=c++17
// threads: 1,2,4,16
// Each task grows its own vector, in memory that other tasks gave back.

#include <cstdio>
#include <vector>

int out[16];

int main()
{
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 16; i++) {
        #pragma omp task
        {
            std::vector<int> values;
            for (int k = 0; k <= 20 + i; k++)
                values.push_back(k);
            out[i] = values.back();
        }
    }
    printf("%d\n", out[15]);
}
