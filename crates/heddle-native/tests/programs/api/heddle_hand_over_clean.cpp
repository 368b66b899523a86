// expect: clean
// flags: -std=c++11
// threads: 1
// The same, with x inside the sections.

#include <cstdio>
#include <heddle.hpp>

int x, flag;

int main()
{
    heddle::finish([] {
        heddle::async([] {
            heddle::isolated([] { x = 1, flag = 1; });
        });
        heddle::async([] {
            heddle::isolated([&] { if (flag == 1) x++; });
        });
    });
}
