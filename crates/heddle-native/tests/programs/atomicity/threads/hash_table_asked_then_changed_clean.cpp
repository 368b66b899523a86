// expect: clean
// flags: -std=c++17 -pthread
// compilers: clang,gcc
// Whether it is there is asked in the section that puts it there.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

std::mutex mutex;
std::unordered_map<std::string, int> table;
HEDDLE_GUARDED_BY(mutex, table);

void insert(const std::string &key, int value)
{
    std::lock_guard<std::mutex> lock(mutex);
    if (table.count(key) == 0)
        table.emplace(key, value);
}

int main()
{
    auto work = [](int value) {
        for (int i = 0; i < 20; i++)
            insert("a key of some length, number " + std::to_string(i + 10 * value), value);
    };
    std::thread first(work, 1), second(work, 2);
    first.join();
    second.join();
    std::printf("%zu\n", table.size());
}
