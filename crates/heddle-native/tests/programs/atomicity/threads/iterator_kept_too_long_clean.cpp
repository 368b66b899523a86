// expect: clean
// flags: -std=c++17 -pthread
// The iterator is used in the section in which it was got.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>
#include <thread>
#include <vector>

std::mutex mutex;
std::vector<int> values{1, 2, 3, 4, 5, 6, 7, 8};

void drop_first()
{
    std::lock_guard<std::mutex> lock(mutex);
    auto at = values.begin();
    values.erase(at);
}

int main()
{
    HEDDLE_GUARDED_BY(mutex, values);
    std::thread first(drop_first), second(drop_first);
    first.join();
    second.join();
    std::printf("%zu\n", values.size());
}
