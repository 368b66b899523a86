// expect: clean
// flags: -std=c++11 -Wextra
// compilers: clang,gcc
// threads: 1,2,4
// stdout: 3 2
// After Raman et al.: a finish of its own joins the outer task, and with it the inner one.

#include <cstdio>
#include <heddle.hpp>

int x, y;

int main()
{
    heddle::finish([] {
        heddle::finish([] {
            heddle::async([] {
                heddle::async([] { x = 1; }); y = 1; });
        });
        x = 2;
    });
    x = 3;
    y = 2;
    printf("%d %d\n", x, y);
}
