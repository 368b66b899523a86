// expect: race 16 17
// flags: -std=c++11 -Wextra
// compilers: clang,gcc
// threads: 1,2,4
// After Raman et al.: the inner task is joined by the outer finish only.

#include <cstdio>
#include <heddle.hpp>

int x, y;

int main()
{
    heddle::finish([] {
        heddle::async([] {
            heddle::async([] { x = 1; }); y = 1; });
        x = 2;
    });
    x = 3;
    y = 2;
    printf("%d %d\n", x, y);
}
