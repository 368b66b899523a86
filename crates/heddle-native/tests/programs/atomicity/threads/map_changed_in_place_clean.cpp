// expect: clean
// flags: -std=c++17 -pthread
// A value is changed in place in one section and taken out in another, which does not depend on what the first saw.

#include <cstdio>
#include <heddle.hpp>
#include <map>
#include <mutex>
#include <thread>

std::mutex mutex;
std::map<int, int> map;

void put(int key)
{
    std::lock_guard<std::mutex> lock(mutex);
    map[key] = 1;
}

void touch(int key)
{
    std::lock_guard<std::mutex> lock(mutex);
    auto at = map.find(key);
    if (at != map.end())
        at->second++;
}

void take_out(int key)
{
    std::lock_guard<std::mutex> lock(mutex);
    map.erase(key);
}

int main()
{
    HEDDLE_GUARDED_BY(mutex, map);
    auto work = [](int own) {
        for (int i = 0; i < 5; i++)
            put(own + 2 * i);
        for (int i = 0; i < 5; i++) {
            touch(own + 2 * i);
            take_out(own + 2 * i);
        }
    };
    std::thread first(work, 0), second(work, 1);
    first.join();
    second.join();
    std::printf("%zu\n", map.size());
}
