// expect: clean
// flags: -fopenmp -std=c++17
// threads: 1,2,4,16
// Each stored function writes its own element.

#include <cstdio>
#include <functional>
#include <vector>

int out[8];

int main()
{
    int sum = 0;
    std::vector<std::function<void()>> jobs;
    for (int i = 0; i < 8; i++)
        jobs.push_back([i] { out[i] = i; });
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 8; i++) {
        #pragma omp task shared(jobs)
        jobs[i]();
    }
    printf("%d %d\n", out[7], sum);
}
