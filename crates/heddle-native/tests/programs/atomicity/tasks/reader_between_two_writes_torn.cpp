// expect: atomicity x 30 37 33
// flags: -std=c++17
// threads: 1,4
// A reader can see the first of two writes.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>
#include <shared_mutex>

typedef std::shared_lock<std::shared_mutex> reading;
typedef std::unique_lock<std::shared_mutex> writing;

static int x;
static std::shared_mutex lock;

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
                writing held(lock);
                x = 1;
            }
            writing held(lock);
            x = 2;
        });
        heddle::async([] {
            reading held(lock);
            use(x);
        });
    });
}
