// expect: clean
// flags: -std=c++11
// threads: 1,4
// The lock is given back in between, but a serial sequence explains the three.

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
            {
                std::lock_guard<heddle::mutex> guard(lock);
                use(x);
            }
            std::lock_guard<heddle::mutex> guard(lock);
            x = 2;
        });
        heddle::async([] {
            std::lock_guard<heddle::mutex> guard(lock);
            use(x);
        });
    });
}
