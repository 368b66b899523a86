// expect: atomicity total 22 25
// flags: -std=c++11
// threads: 1,4
// Each iteration reads in one section and writes in another.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

static int total;
static heddle::mutex lock;

int main()
{
    heddle::atomic(total);
    heddle::parallel_for(0, 20, [](int i) {
        int old;
        {
            guard held(lock);
            old = total;
        }
        guard held(lock);
        total = old + i;
    });
    printf("%d\n", total);
}
