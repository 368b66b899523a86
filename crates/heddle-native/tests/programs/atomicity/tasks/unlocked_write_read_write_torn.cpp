// expect: race
// expect: atomicity x 23 27 24
// flags: -std=c++11
// threads: 1,2,4
// A value that was never to be seen is seen. It is a race as well.

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
            x = 2;
        });
        heddle::async([] {
            use(x);
        });
    });
}
