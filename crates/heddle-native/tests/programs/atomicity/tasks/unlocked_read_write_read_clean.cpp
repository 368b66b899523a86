// expect: clean
// flags: -std=c++11
// threads: 1,4
// The second task comes after the first.

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
            use(x);
        });
    });
    heddle::finish([] {
        heddle::async([] {
            x = 3;
        });
    });
}
