// expect: race 18 23
// flags: -std=c++11
// threads: 1,2,4
// After Raman et al.: an isolated and a plain access in parallel race; two isolated ones do not.

#include <cstdio>
#include <heddle.hpp>

int x, y;

int main()
{
    heddle::finish([] {
        heddle::async([] {
            heddle::isolated([] {
                x++;
                heddle::isolated([] { x++; });
                y = 1; });
        });
        heddle::async([] {
            heddle::isolated([] { x++; });
        });
        y = 2;
    });
    printf("%d\n", x);
}
