// expect: race
// expect: atomicity x 23 24 28
// flags: -std=c++11
// threads: 1,4
// Where nothing comes in between, the compiler names a read together with the write that follows it.
// The pair holds a lock throughout, but the writer holds another.

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
            guard second(other);
            x = 7;
        });
    });
}
