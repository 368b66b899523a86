// expect: clean
// flags: -std=c++11
// threads: 1,4
// Each is atomic for itself, so that reads of x and of y are no pair.

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
    heddle::atomic(x);
    heddle::atomic(y);
    heddle::finish([] {
        heddle::async([] {
            {
                std::lock_guard<heddle::mutex> guard(lock);
                use(x);
            }
            std::lock_guard<heddle::mutex> guard(lock);
            use(y);
        });
        heddle::async([] {
            std::lock_guard<heddle::mutex> guard(lock);
            x = 1;
            y = 1;
        });
    });
}
