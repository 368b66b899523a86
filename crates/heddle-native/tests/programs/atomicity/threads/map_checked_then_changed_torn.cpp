// expect: atomicity map
// flags: -std=c++17 -pthread
// Whether it is there is asked in one section, and it is put there in another.

#include <cstdio>
#include <heddle.hpp>
#include <map>
#include <mutex>
#include <thread>

std::mutex mutex;
std::map<int, int> map;

void insert(int key, int value)
{
    bool is_new;
    {
        std::lock_guard<std::mutex> lock(mutex);
        is_new = map.count(key) == 0;
    }
    if (is_new) {
        std::lock_guard<std::mutex> lock(mutex);
        map[key] = value;
    }
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
