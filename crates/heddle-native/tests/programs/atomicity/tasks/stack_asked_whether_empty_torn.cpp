// expect: atomicity depth,items 19 23
// flags: -std=c++11
// threads: 1,4
// Not empty when asked, perhaps empty when popped.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

static int depth, items[8];
static heddle::mutex lock;

static int pop()
{
    {
        guard held(lock);
        if (depth == 0)
            return 0;
    }
    guard held(lock);
    return items[--depth];
}

int main()
{
    for (int i = 0; i < 8; i++)
        items[depth++] = i;
    heddle::atomic_group(depth, items);
    heddle::finish([] {
        heddle::async([] { pop(); });
        heddle::async([] { pop(); });
    });
    printf("%d\n", depth);
}
