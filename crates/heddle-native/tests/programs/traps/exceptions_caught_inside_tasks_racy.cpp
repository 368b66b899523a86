// expect: race 34 34
// flags: -fopenmp -std=c++17
// threads: 1,2,4,16
// The handlers note the failure in a shared variable.

#include <cstdio>
#include <stdexcept>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int failed[16];

__attribute__((noinline)) static int risky(int i)
{
    int local[8] = {i};
    if (i % 2)
        throw std::runtime_error("odd");
    return local[0];
}

int main()
{
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 16; i++) {
        #pragma omp task
        try {
            use(risky(i));
        } catch (const std::runtime_error &) {
            failed[0] = i;
        }
    }
    puts("done");
}
