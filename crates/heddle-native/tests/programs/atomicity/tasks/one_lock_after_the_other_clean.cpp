// expect: clean
// flags: -std=c++11
// threads: 1,4
// Both locks are held throughout.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

static int x;
static heddle::mutex first, second;

int main()
{
    heddle::atomic(x);
    heddle::finish([] {
        heddle::async([] {
            guard held(first);
            guard held_too(second);
            int old = x;
            x = old + 1;
        });
        heddle::async([] {
            guard held(first);
            guard held_too(second);
            x = 7;
        });
    });
}
