// expect: atomicity x,y 26 33 29
// flags: -std=c++11
// threads: 1,4
// x and y belong together, and the lock is given back between them. The update is lost.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

static int x, y;
static heddle::mutex lock;

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int main()
{
    heddle::atomic_group(x, y);
    heddle::finish([] {
        heddle::async([] {
            {
                std::lock_guard<heddle::mutex> guard(lock);
                use(x);
            }
            std::lock_guard<heddle::mutex> guard(lock);
            y = 2;
        });
        heddle::async([] {
            std::lock_guard<heddle::mutex> guard(lock);
            x = 3;
        });
    });
}
