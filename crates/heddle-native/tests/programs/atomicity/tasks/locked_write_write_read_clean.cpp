// expect: clean
// flags: -std=c++11
// threads: 1,4
// The lock is held from the first access to the last.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

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
            std::lock_guard<heddle::mutex> guard(lock);
            x = 1;
            use(x);
        });
        heddle::async([] {
            std::lock_guard<heddle::mutex> guard(lock);
            x = 3;
        });
    });
}
