// expect: clean
// flags: -std=c++17 -pthread
// What is not there is put there in the same section.

#include <cstdio>
#include <heddle.hpp>
#include <map>
#include <mutex>
#include <thread>

std::mutex mutex;
std::map<int, int> map;

void insert(int key, int value)
{
    std::lock_guard<std::mutex> lock(mutex);
    if (map.count(key) == 0)
        map[key] = value;
}

int main()
{
    HEDDLE_GUARDED_BY(mutex, map);
    auto work = [](int value) {
        for (int i = 0; i < 5; i++)
            insert(i + 3 * value, value);
    };
    std::thread first(work, 1), second(work, 2);
    first.join();
    second.join();
    std::printf("%zu\n", map.size());
}
