// expect: atomicity x 29 36 32
// flags: -std=c++11
// threads: 1,4
// The finish is over before the pair begins.

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
            heddle::finish([] { heddle::async([] { y = 1; }); });
            {
                guard held(lock);
                use(x);
            }
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
