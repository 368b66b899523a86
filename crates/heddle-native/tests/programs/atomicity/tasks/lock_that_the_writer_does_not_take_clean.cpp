// expect: clean
// flags: -std=c++11
// threads: 1,4
// The writer takes both.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

static volatile int x;
static heddle::mutex lock, other;

int main()
{
    heddle::atomic(x);
    heddle::finish([] {
        heddle::async([] {
            guard held(lock);
            int old = x;
            x = old + 1;
        });
        heddle::async([] {
            guard held(lock);
            guard second(other);
            x = 7;
        });
    });
}
