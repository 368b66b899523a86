// expect: atomicity x 18 36 24
// flags: -std=c++11
// threads: 1,4
// Taken twice, one after the other.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<std::recursive_mutex> held;

static int x;
static std::recursive_mutex lock;

static int get()
{
    held inside(lock);
    return x;
}

static void set(int value)
{
    held inside(lock);
    x = value;
}

int main()
{
    heddle::atomic(x);
    heddle::finish([] {
        heddle::async([] {
            set(get() + 1);
        });
        heddle::async([] {
            held inside(lock);
            x = 7;
        });
    });
}
