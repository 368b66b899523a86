// expect: atomicity x 29 37 32
// flags: -std=c++11
// threads: 1,4
// Both accesses lie in the block.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

static int x;
static heddle::mutex lock;

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int main()
{
    heddle::atomic(x);
    heddle::finish([] {
        heddle::async([] {
            heddle::atomic_block([] {
                {
                    guard held(lock);
                    x = 1;
                }
                guard held(lock);
                x = 2;
            });
        });
        heddle::async([] {
            guard held(lock);
            use(x);
        });
    });
}
