// expect: clean
// flags: -std=c++11
// threads: 1,4
// Taken again while it is held: the outermost section counts.

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
            held kept(lock);
            set(get() + 1);
        });
        heddle::async([] {
            held inside(lock);
            x = 7;
        });
    });
}
