// expect: atomicity 22 29 25
// flags: -std=c++11
// threads: 1,4
// The same byte.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

static char bytes[8];
static heddle::mutex lock;

int main()
{
    HEDDLE_ATOMIC_RANGE(bytes, 8);
    heddle::finish([] {
        heddle::async([] {
            {
                guard held(lock);
                bytes[3] = 1;
            }
            guard held(lock);
            bytes[3] = 3;
        });
        heddle::async([] {
            guard held(lock);
            bytes[3] = 2;
        });
    });
}
