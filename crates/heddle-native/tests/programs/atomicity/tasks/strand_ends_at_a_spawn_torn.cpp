// expect: atomicity x 24 31 27
// flags: -std=c++11
// threads: 1,4
// The spawn comes before the pair: read and write are of one strand.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

static int x, y;
static heddle::mutex lock;

int main()
{
    heddle::atomic(x);
    heddle::finish([] {
        heddle::async([] {
            heddle::async([] { y = 1; });
            int old;
            {
                guard held(lock);
                old = x;
            }
            guard held(lock);
            x = old + 1;
        });
        heddle::async([] {
            guard held(lock);
            x = 7;
        });
    });
    printf("%d\n", y);
}
