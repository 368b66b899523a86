// expect: clean
// flags: -std=c++11
// threads: 1,4
// A finish around the grandchildren.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

static int x;
static heddle::mutex lock;

static void work()
{
    heddle::finish([] {
        heddle::async([] {
            heddle::async([] {
                guard held(lock);
                x = 5;
            });
        });
    });
    int old;
    {
        guard held(lock);
        old = x;
    }
    guard held(lock);
    x = old + 1;
}

int main()
{
    heddle::atomic(x);
    heddle::finish([] { heddle::async(work); });
}
