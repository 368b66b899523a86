// expect: clean
// flags: -std=c++17 -pthread
// Room is looked for and taken in one section.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>
#include <thread>

std::mutex mutex;
int size, buffer[64];

bool append(int value)
{
    std::lock_guard<std::mutex> lock(mutex);
    if (size == 64)
        return false;
    buffer[size] = value;
    size++;
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
