// expect: possible 15 23
// flags: -std=c++11
// threads: 1
// After Nakade et al.: x is handed over through isolated sections.

#include <cstdio>
#include <heddle.hpp>

int x, flag;

int main()
{
    heddle::finish([] {
        heddle::async([] {
            x = 1;
            heddle::isolated([] { flag = 1; });
        });
        heddle::async([] {
            int seen = 0;
            heddle::isolated([&] { seen = flag; });
            int *there = &x;
            if (seen == 1)
                *there = *there + 1;
        });
    });
}
