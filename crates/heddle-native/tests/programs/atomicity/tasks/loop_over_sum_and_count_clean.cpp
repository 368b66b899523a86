// expect: clean
// flags: -std=c++11
// threads: 1,4
// Sum and count are changed in one section.

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
        guard held(lock);
        sum += i;
        count++;
    });
    printf("%d\n", sum / count);
}
