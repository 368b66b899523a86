// expect: clean
// flags: -std=c++11
// threads: 1,4
// Each iteration reads and writes in one section.

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
        guard held(lock);
        int old = total;
        total = old + i;
    });
    printf("%d\n", total);
}
