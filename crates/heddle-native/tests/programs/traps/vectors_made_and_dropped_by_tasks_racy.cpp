// expect: race 21 21
// flags: -fopenmp -std=c++17
// threads: 1,2,4,16
// All tasks add to one cell.

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
            out[0] = values.back();
        }
    }
    puts("done");
}
