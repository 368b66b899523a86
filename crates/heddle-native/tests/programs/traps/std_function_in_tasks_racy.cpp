// expect: race 17 17
// flags: -fopenmp -std=c++17
// threads: 1,2,4,16
// The stored function writes through the reference it captured.

#include <cstdio>
#include <functional>
#include <vector>

int out[8];

int main()
{
    int sum = 0;
    std::vector<std::function<void()>> jobs;
    for (int i = 0; i < 8; i++)
        jobs.push_back([&sum, i] { sum = i; });
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 8; i++) {
        #pragma omp task shared(jobs)
        jobs[i]();
    }
    puts("done");
}
