// expect: clean
// flags: -std=c++17
// threads: 1,4
// The writers' side is held throughout.

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
            writing held(lock);
            x = 1;
            x = 2;
        });
        heddle::async([] {
            reading held(lock);
            use(x);
        });
    });
}
