// expect: atomicity x 24 33 28
// flags: -std=c++11
// threads: 1,4
// The block is atomic as a whole, though a task is spawned in the middle.

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
            heddle::atomic_block([] {
                int old;
                {
                    guard held(lock);
                    old = x;
                }
                heddle::async([] { y = 1; });
                guard held(lock);
                x = old + 1;
            });
        });
        heddle::async([] {
            guard held(lock);
            x = 7;
        });
    });
    printf("%d\n", y);
}
