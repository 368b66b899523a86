// expect: clean
// flags: -std=c++20 -O2 -pthread
// compilers: clang,gcc
// The mutex is given back, and the condition notified, when the thread has ended.

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex mutex;
std::condition_variable condition;
bool ready;
int data;

int main()
{
    std::thread thread([] {
        std::unique_lock lock(mutex);
        ready = true;
        std::notify_all_at_thread_exit(condition, std::move(lock));
        data = 2;
    });
    {
        std::unique_lock lock(mutex);
        condition.wait(lock, [] { return ready; });
    }
    std::printf("%d\n", data);
    thread.join();
}
