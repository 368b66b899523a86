// expect: race 23 27 24 28
// expect: atomicity x,y 23 27 24 28
// flags: -std=c++11
// threads: 1,2,4
// Both belong together and nothing protects them: a race on each, and a torn pair.

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
        heddle::async([] {
            x = 1;
            y = 1;
        });
    });
}
