// expect: clean
// flags: -std=c++11
// threads: 1,4
// Both are isolated.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

static volatile int x;
static heddle::mutex lock;

int main()
{
    heddle::atomic(x);
    heddle::finish([] {
        heddle::async([] {
            heddle::isolated([] {
                int old = x;
                x = old + 1;
            });
        });
        heddle::async([] {
            heddle::isolated([] { x = 7; });
        });
    });
    guard held(lock);
}
