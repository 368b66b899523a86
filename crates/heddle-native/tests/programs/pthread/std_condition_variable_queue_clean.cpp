// expect: clean
// flags: -pthread -std=c++17
// Producer and consumer use the queue under its mutex.

#include <condition_variable>
#include <mutex>
#include <thread>

int head[4], filled;
std::mutex mutex;
std::condition_variable changed;

int main()
{
    int sum = 0;
    std::thread consumer([&] {
        for (int i = 0; i < 4; i++) {
            std::unique_lock<std::mutex> lock(mutex);
            changed.wait(lock, [&] { return filled > i; });
            sum += head[filled - 1];
        }
    });
    for (int i = 0; i < 4; i++) {
        std::lock_guard<std::mutex> lock(mutex);
        head[i] = i;
        filled++;
        changed.notify_one();
    }
    consumer.join();
    return sum < 0;
}
