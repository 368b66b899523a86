// expect: race
// expect: atomicity x 23 27 24
// flags: -std=c++11
// threads: 1,2,4
// The task does not read what it wrote. It is a race as well.

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
            x = 3;
        });
    });
}
