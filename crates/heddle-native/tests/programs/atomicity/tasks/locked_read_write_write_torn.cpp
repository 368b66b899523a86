// expect: atomicity x 27 34 30
// flags: -std=c++11
// compilers: clang,gcc
// threads: 1,2,4
// The lock is given back between the two accesses. The update is lost.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

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
            {
                std::lock_guard<heddle::mutex> guard(lock);
                use(x);
            }
            std::lock_guard<heddle::mutex> guard(lock);
            x = 2;
        });
        heddle::async([] {
            std::lock_guard<heddle::mutex> guard(lock);
            x = 3;
        });
    });
}
