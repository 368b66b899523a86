// expect: atomicity busy 21 23 26
// flags: -std=c++11
// threads: 1,4
// Set and cleared in two sections: another iteration can see it set, or clear it.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

static int busy, skipped;
static heddle::mutex lock;

int main()
{
    heddle::atomic(busy);
    heddle::parallel_for(0, 6, [](int) {
        {
            guard held(lock);
            if (busy)
                skipped++;
            busy = 1;
        }
        guard held(lock);
        busy = 0;
    });
    printf("%d\n", skipped >= 0);
}
