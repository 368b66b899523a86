// expect: clean
// flags: -std=c++11
// threads: 1,4
// Only the first access lies in the block: what follows it is another region.

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
            });
            guard held(lock);
            x = 2;
        });
        heddle::async([] {
            guard held(lock);
            use(x);
        });
    });
}
