// expect: clean
// flags: -fopenmp -std=c++17
// The handler for want of memory counts atomically, and bad_alloc is thrown.

#include <cstdio>
#include <limits>
#include <new>

int wanted;
char *volatile sink;

void handler()
{
    __atomic_fetch_add(&wanted, 1, __ATOMIC_RELAXED);
    throw std::bad_alloc();
}

int main()
{
    std::set_new_handler(handler);
    int caught = 0;
    #pragma omp parallel num_threads(2) reduction(+ : caught)
    {
        try {
            volatile std::size_t size = std::numeric_limits<std::size_t>::max() / 4;
            sink = new char[size];
        } catch (const std::bad_alloc &) {
            caught++;
        }
    }
    return caught != 2;
}
