// expect: clean
// flags: -std=c++14 -Wextra
// compilers: clang,gcc
// threads: 1,2,4,16
// stdout: 4950
// Each iteration has its own element, and variables on the stack.

#include <cstdio>
#include <heddle.hpp>
#include <vector>

static long twice(long value)
{
    long local[4] = {value, 0, 0, value};
    return local[0] + local[3];
}

int main()
{
    std::vector<long> a(100);
    heddle::parallel_for(std::size_t(0), a.size(), [&](auto i) {
        long half[2];
        half[1] = twice(long(i));
        a[i] = half[1] / 2;
    });
    long sum = 0;
    for (long value : a)
        sum += value;
    printf("%ld\n", sum);
}
