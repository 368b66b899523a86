// expect: clean
// flags: -pthread -std=c++17
// threads: 1
// The inner unlock leaves the mutex held.

#include <cstdio>
#include <mutex>
#include <thread>

int x;
std::recursive_mutex mutex;

static void run()
{
    mutex.lock();
    mutex.lock();
    mutex.unlock();
    x += 1;
    mutex.unlock();
}

int main()
{
    std::thread first(run), second(run);
    first.join();
    second.join();
    printf("%d\n", x);
}
