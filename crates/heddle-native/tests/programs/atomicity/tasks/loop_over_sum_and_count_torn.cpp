// expect: atomicity sum,count 21 24
// flags: -std=c++11
// threads: 1,4
// Sum and count belong together, and each is changed in a section of its own.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

static int sum, count;
static heddle::mutex lock;

int main()
{
    heddle::atomic_group(sum, count);
    heddle::parallel_for(0, 10, [](int i) {
        {
            guard held(lock);
            sum += i;
        }
        guard held(lock);
        count++;
    });
    printf("%d\n", sum / count);
}
