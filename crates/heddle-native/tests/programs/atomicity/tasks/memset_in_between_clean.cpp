// expect: clean
// flags: -std=c++11
// threads: 1,4
// The array is cleared up to that element.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>
#include <cstring>

typedef std::lock_guard<heddle::mutex> guard;

static long table[20];
static heddle::mutex lock;

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int main()
{
    heddle::atomic(table);
    heddle::finish([] {
        heddle::async([] {
            {
                guard held(lock);
                use(table[5]);
            }
            guard held(lock);
            use(table[5]);
        });
        heddle::async([] {
            guard held(lock);
            memset(table, 0, 5 * sizeof table[0]);
        });
    });
}
