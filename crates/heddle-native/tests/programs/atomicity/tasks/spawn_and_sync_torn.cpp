// expect: atomicity x 30 26 34
// flags: -std=c++11
// threads: 1,4
// The child is not yet waited for.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

static int x;
static heddle::mutex lock;

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int main()
{
    heddle::atomic(x);
    heddle::spawn([] {
        guard held(lock);
        use(x);
    });
    {
        guard held(lock);
        x = 1;
    }
    {
        guard held(lock);
        x = 2;
    }
    heddle::sync();
}
