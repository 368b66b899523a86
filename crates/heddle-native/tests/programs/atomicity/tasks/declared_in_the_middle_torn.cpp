// expect: atomicity x 28 35 31
// flags: -std=c++11
// threads: 1
// Declared atomic before both accesses.

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
    heddle::finish([] {
        heddle::async([] {
            heddle::atomic(x);
            {
                guard held(lock);
                use(x);
            }
            guard held(lock);
            use(x);
        });
        heddle::async([] {
            guard held(lock);
            x = 7;
        });
    });
}
