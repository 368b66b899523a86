// expect: atomicity x 28 32 35
// flags: -std=c++11
// threads: 1,4
// The block spawns the task that tears it.

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
        heddle::atomic_block([] {
            {
                guard held(lock);
                use(x);
            }
            heddle::async([] {
                guard held(lock);
                x = 1;
            });
            guard held(lock);
            use(x);
        });
    });
}
