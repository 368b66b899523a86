// expect: clean
// flags: -std=c++11
// threads: 1,4
// The first object was atomic; the second one, which may lie in the same place, is not.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

static long *value;
static heddle::mutex lock;

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int main()
{
    value = new long(1);
    heddle::atomic(*value);
    delete value;
    value = new long(2);
    heddle::finish([] {
        heddle::async([] {
            {
                guard held(lock);
                use((int)*value);
            }
            guard held(lock);
            use((int)*value);
        });
        heddle::async([] {
            guard held(lock);
            *value = 3;
        });
    });
    delete value;
}
