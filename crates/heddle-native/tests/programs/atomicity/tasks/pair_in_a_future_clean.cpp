// expect: clean
// flags: -std=c++11
// threads: 1,4
// The main task writes after it got the value.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

static int x;
static heddle::mutex lock;

int main()
{
    heddle::atomic(x);
    heddle::future<int> updated = heddle::async_future([] {
        int old;
        {
            guard held(lock);
            old = x;
        }
        guard held(lock);
        x = old + 1;
        return old + 1;
    });
    printf("%d\n", updated.get() > 0);
    {
        guard held(lock);
        x = 7;
    }
}
