// expect: clean
// flags: -std=c++11
// threads: 1,4
// Nobody writes beside the last pair.

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
        heddle::finish([] {
            heddle::async([] { x = 1; });
        });
        heddle::async([] {
            use(x);
            use(x);
        });
        heddle::async([] {
            int first = x, second = x;
            use(first + second);
        });
    });
}
