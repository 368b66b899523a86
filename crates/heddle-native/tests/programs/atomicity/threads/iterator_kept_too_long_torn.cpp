// expect: atomicity values
// flags: -std=c++17 -pthread
// It is kept while the mutex is given back.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>
#include <thread>
#include <vector>

std::mutex mutex;
std::vector<int> values{1, 2, 3, 4, 5, 6, 7, 8};

void drop_first()
{
    std::vector<int>::iterator at;
    {
        std::lock_guard<std::mutex> lock(mutex);
        at = values.begin();
    }
    std::lock_guard<std::mutex> lock(mutex);
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
