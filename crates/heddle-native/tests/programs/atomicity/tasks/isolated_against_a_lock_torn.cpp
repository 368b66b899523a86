// expect: race
// expect: atomicity x 23 24 29
// flags: -std=c++11
// threads: 1,4
// Where nothing comes in between, the compiler names a read together with the write that follows it.
// The pair is isolated, the writer takes a lock: neither keeps the other out.

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
            guard held(lock);
            x = 7;
        });
    });
    guard held(lock);
}
