// expect: race 19 19
// flags: -pthread -std=c++17
// threads: 1
// The last unlock comes before the update.

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
    mutex.unlock();
    x += 1;
}

int main()
{
    std::thread first(run), second(run);
    first.join();
    second.join();
    puts("done");
}
