// expect: race 16
// expect: atomicity 16
// flags: -std=c++11
// threads: 1,4
// Two iterations share a bin, and nothing protects it.

#include <cstdio>
#include <heddle.hpp>

static volatile char bins[16];

int main()
{
    HEDDLE_ATOMIC_RANGE(bins, 16);
    heddle::parallel_for(0, 16, [](int i) {
        bins[i / 2]++;
    });
    printf("%d\n", bins[4]);
}
