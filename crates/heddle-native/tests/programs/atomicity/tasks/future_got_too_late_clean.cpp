// expect: clean
// flags: -std=c++11
// threads: 1,4
// The value is got first.

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
    heddle::future<int> written = heddle::async_future([] {
        x = 1;
        return 1;
    });
    use(written.get());
    use(x);
    use(x);
}
