// expect: race 13:16 18:5 23:12 42:21
// flags: -fopenmp -O2
// threads: 1,4
// The ranges have one element in common.

#include <algorithm>
#include <numeric>
#include <vector>

static void twice(std::vector<int> &all, std::size_t from, std::size_t to)
{
    for (std::size_t i = from; i < to; i++)
        all[i] *= 2;
}

__attribute__((noinline)) static void reverse(std::vector<int> &all, std::size_t from, std::size_t to)
{
    std::reverse(all.begin() + from, all.begin() + to);
}

__attribute__((noinline)) static long total(const std::vector<int> &all, std::size_t to)
{
    return std::accumulate(all.begin(), all.begin() + to, 0L);
}

int main()
{
    std::vector<int> all(90, 1), same(90, 1);
    long sum = 0;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task shared(all)
        twice(all, 0, 41);
        #pragma omp task shared(all)
        reverse(all, 40, 90);
        #pragma omp task shared(same, sum)
        sum = total(same, 41);
        #pragma omp task shared(same)
        for (auto &one : same)
            if (&one >= &same[40])
                one += 1;
    }
    return sum < 0;
}
