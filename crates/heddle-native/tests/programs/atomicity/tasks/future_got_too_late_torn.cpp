// expect: race
// expect: atomicity x 25 22 26
// flags: -std=c++11
// threads: 1,4
// The value is got too late: the future can write between the two reads.

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
    use(x);
    use(x);
    use(written.get());
}
