// expect: atomicity n 15 16
// flags: -std=c++11
// threads: 1,4
// isolated is a lock like any other, and leaving it opens a gap.

#include <cstdio>
#include <heddle.hpp>

static int n;

int main()
{
    heddle::atomic(n);
    heddle::parallel_for(0, 3, [](int) {
        int old = heddle::isolated([] { return n; });
        heddle::isolated([old] { n = old + 1; });
    });
    printf("%d\n", n > 0);
}
