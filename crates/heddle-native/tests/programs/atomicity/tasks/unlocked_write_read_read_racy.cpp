// expect: race 26 22
// flags: -std=c++11
// threads: 1,4
// A serial sequence explains the three: a race, but nothing is torn.

#include <cstdio>
#include <heddle.hpp>

static volatile int x;

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int main()
{
    heddle::atomic(x);
    heddle::finish([] {
        heddle::async([] {
            x = 1;
            use(x);
        });
        heddle::async([] {
            use(x);
        });
    });
}
