// expect: atomicity x 31 38 34
// flags: -std=c++17
// threads: 1,4
// Looked at under the readers' side, changed under the writers' side, and given back in between.

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
            int old;
            {
                reading held(lock);
                old = x;
            }
            writing held(lock);
            x = old + 1;
        });
        heddle::async([] {
            writing held(lock);
            x = 7;
        });
    });
}
