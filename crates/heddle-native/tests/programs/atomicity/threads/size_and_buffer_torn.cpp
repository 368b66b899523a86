// expect: atomicity size,buffer
// flags: -std=c++17 -pthread
// Room is looked for in one section and taken in another.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>
#include <thread>

std::mutex mutex;
int size, buffer[64];

bool append(int value)
{
    int at;
    {
        std::lock_guard<std::mutex> lock(mutex);
        at = size;
    }
    if (at == 64)
        return false;
    std::lock_guard<std::mutex> lock(mutex);
    buffer[at] = value;
    size = at + 1;
    return true;
}

int main()
{
    HEDDLE_GUARDED_BY(mutex, size, buffer);
    auto work = [] {
        for (int i = 0; i < 10; i++)
            append(i);
    };
    std::thread first(work), second(work);
    first.join();
    second.join();
    std::printf("%d\n", size);
}
