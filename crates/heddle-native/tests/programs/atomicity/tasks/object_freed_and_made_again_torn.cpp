// expect: atomicity 32 39 35
// flags: -std=c++11
// threads: 1,4
// The second object is declared atomic, too.

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
    heddle::atomic(*value);
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
