// expect: clean
// flags: -std=c++11
// threads: 1,4
// The same without a block: the spawn ends the strand.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

static int x, y;
static heddle::mutex lock;

int main()
{
    heddle::atomic(x);
    heddle::finish([] {
        heddle::async([] {
            [] {
                int old;
                {
                    guard held(lock);
                    old = x;
                }
                heddle::async([] { y = 1; });
                guard held(lock);
                x = old + 1;
            }();
        });
        heddle::async([] {
            guard held(lock);
            x = 7;
        });
    });
    printf("%d\n", y);
}
