// expect: race
// expect: atomicity x 23 27 24
// flags: -std=c++11
// threads: 1,2,4
// The update is lost. It is a race as well.

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
            use(x);
            x = 2;
        });
        heddle::async([] {
            x = 3;
        });
    });
}
