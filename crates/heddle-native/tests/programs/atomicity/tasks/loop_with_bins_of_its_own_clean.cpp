// expect: clean
// flags: -std=c++11
// threads: 1,4
// Every iteration has a bin of its own, eight bins to a word or two.

#include <cstdio>
#include <heddle.hpp>

static volatile char bins[16];

int main()
{
    HEDDLE_ATOMIC_RANGE(bins, 16);
    heddle::parallel_for(0, 16, [](int i) {
        bins[i]++;
    });
    printf("%d\n", bins[4]);
}
