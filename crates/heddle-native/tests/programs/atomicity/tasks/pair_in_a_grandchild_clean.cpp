// expect: clean
// flags: -std=c++11
// threads: 1,4
// The grandchild holds the lock throughout.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

static int x;
static heddle::mutex lock;

int main()
{
    heddle::atomic(x);
    heddle::finish([] {
        heddle::async([] {
            heddle::async([] {
                guard held(lock);
                int old = x;
                x = old + 1;
            });
        });
        heddle::async([] {
            guard held(lock);
            x = 7;
        });
    });
}
