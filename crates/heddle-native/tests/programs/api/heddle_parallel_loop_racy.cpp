// expect: race 14
// flags: -std=c++14
// threads: 1,2,4
// Neighbours are written by two iterations.

#include <cstdio>
#include <heddle.hpp>

static int a[101];

int main()
{
    heddle::parallel_for(0, 100, [](auto i) {
        a[i] = a[i + 1] + 1;
    });
    printf("%d\n", a[0]);
}
