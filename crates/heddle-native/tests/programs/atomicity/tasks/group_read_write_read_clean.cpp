// expect: clean
// flags: -std=c++11
// threads: 1,4
// x and y are accessed in one section.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

static int x, y;
static heddle::mutex lock;

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
            std::lock_guard<heddle::mutex> guard(lock);
            use(x);
            use(y);
        });
        heddle::async([] {
            std::lock_guard<heddle::mutex> guard(lock);
            y = 3;
        });
    });
}
