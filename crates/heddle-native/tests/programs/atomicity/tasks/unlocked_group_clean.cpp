// expect: clean
// flags: -std=c++11
// threads: 1,4
// The writer comes after the reader.

#include <cstdio>
#include <heddle.hpp>

static volatile int x, y;

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int main()
{
    heddle::atomic_group(x, y);
    heddle::finish([] {
        heddle::async([] {
            use(x);
            use(y);
        });
    });
    heddle::finish([] {
        heddle::async([] {
            x = 1;
            y = 1;
        });
    });
}
