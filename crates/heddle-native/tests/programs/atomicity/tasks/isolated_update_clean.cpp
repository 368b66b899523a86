// expect: clean
// flags: -std=c++11
// threads: 1,4
// One isolated body, with another nested in it.

#include <cstdio>
#include <heddle.hpp>

static int n;

int main()
{
    heddle::atomic(n);
    heddle::parallel_for(0, 3, [](int) {
        heddle::isolated([] {
            int old = n;
            heddle::isolated([old] { n = old + 1; });
        });
    });
    printf("%d\n", n > 0);
}
