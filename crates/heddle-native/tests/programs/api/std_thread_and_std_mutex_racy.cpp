// expect: race 17 20
// flags: -pthread -std=c++17
// threads: 1
// The second thread forgets the mutex.

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
        x += 2;
    });
    first.join();
    second.join();
    puts("done");
}
