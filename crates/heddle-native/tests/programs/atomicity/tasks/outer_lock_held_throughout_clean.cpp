// expect: clean
// flags: -std=c++11
// threads: 1,4
// The writer takes the outer lock, too.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

static int x;
static heddle::mutex outer, inner;

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
            guard kept(outer);
            {
                guard held(inner);
                use(x);
            }
            guard held(inner);
            use(x);
        });
        heddle::async([] {
            guard kept(outer);
            guard held(inner);
            x = 7;
        });
    });
}
