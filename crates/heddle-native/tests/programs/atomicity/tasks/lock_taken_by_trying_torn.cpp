// expect: atomicity x 27 36 30
// flags: -std=c++11
// threads: 1
// A lock that was got by trying is given back in between.

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
            if (lock.try_lock()) {
                use(x);
                lock.unlock();
                lock.lock();
                use(x);
                lock.unlock();
            }
        });
        heddle::async([] {
            guard held(lock);
            x = 7;
        });
    });
}
