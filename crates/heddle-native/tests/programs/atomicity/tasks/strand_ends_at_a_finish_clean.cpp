// expect: clean
// flags: -std=c++11
// threads: 1,4
// A finish between read and write: they are of two strands, and no pair.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

static int x, y;
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
                guard held(lock);
                use(x);
            }
            heddle::finish([] { heddle::async([] { y = 1; }); });
            guard held(lock);
            use(x);
        });
        heddle::async([] {
            guard held(lock);
            x = 7;
        });
    });
    printf("%d\n", y);
}
