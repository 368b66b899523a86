// expect: clean
// flags: -std=c++17 -pthread
// The program says that what follows does not depend on what was seen.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>
#include <thread>

std::mutex mutex;
int level;
HEDDLE_ATOMIC(level);

void work(int next)
{
    int seen;
    {
        std::lock_guard<std::mutex> lock(mutex);
        seen = level;
    }
    if (seen == -1)
        std::puts("never");
    heddle_cut();
    std::lock_guard<std::mutex> lock(mutex);
    level = next;
}

int main()
{
    std::thread first(work, 1), second(work, 2);
    first.join();
    second.join();
    std::printf("%d\n", level > 0);
}
