// expect: clean
// flags: -std=c++11
// threads: 1,4
// The main task reads after the finish.

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
    heddle::finish([] {
        heddle::async([] {
            guard held(lock);
            x = 1;
        });
    });
    use(x);
    use(x);
}
