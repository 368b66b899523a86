// expect: clean
// flags: -pthread -std=c++17
// threads: 1
// Both hold it.

#include <cstdio>
#include <mutex>
#include <thread>

int x;
std::mutex mutex;

int main()
{
    std::thread first([] {
        std::lock_guard<std::mutex> guard(mutex);
        x += 1;
    });
    std::thread second([] {
        std::lock_guard<std::mutex> guard(mutex);
        x += 2;
    });
    first.join();
    second.join();
    printf("%d\n", x);
}
