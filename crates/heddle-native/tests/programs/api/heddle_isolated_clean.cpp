// expect: clean
// flags: -std=c++11
// threads: 1,2,4
// stdout: 1000
// Nakade et al., Table 1: tasks bump a counter in isolation.

#include <cstdio>
#include <heddle.hpp>

int n;

int main()
{
    heddle::parallel_for(0, 1000, [](int) {
        heddle::isolated([] { n++; });
    });
    printf("%d\n", n);
}
