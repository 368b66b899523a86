// expect: atomicity table
// flags: -std=c++17 -pthread
// compilers: clang,gcc
// Whether it is there is asked in one section, and it is put there in another, by a node that is made before the
// table is touched.

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
    bool is_new;
    {
        std::lock_guard<std::mutex> lock(mutex);
        is_new = table.count(key) == 0;
    }
    if (is_new) {
        std::lock_guard<std::mutex> lock(mutex);
        table.emplace(key, value);
    }
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
