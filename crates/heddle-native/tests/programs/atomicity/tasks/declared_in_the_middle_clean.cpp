// expect: clean
// flags: -std=c++11
// threads: 1
// Declared atomic between the two accesses: what came before does not count.

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
    heddle::finish([] {
        heddle::async([] {
            {
                guard held(lock);
                use(x);
            }
            heddle::atomic(x);
            guard held(lock);
            use(x);
        });
        heddle::async([] {
            guard held(lock);
            x = 7;
        });
    });
}
