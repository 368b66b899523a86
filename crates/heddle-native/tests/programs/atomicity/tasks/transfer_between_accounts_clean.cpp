// expect: clean
// flags: -std=c++11
// threads: 1,4
// Taken from one and given to the other under one lock.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

static long from = 100, to;
static heddle::mutex lock;

int main()
{
    heddle::atomic_group(from, to);
    heddle::finish([] {
        heddle::async([] {
            guard held(lock);
            from -= 10;
            to += 10;
        });
        heddle::async([] {
            guard held(lock);
            printf("%d\n", from + to > 0);
        });
    });
}
