// expect: clean
// flags: -std=c++20 -O1 -pthread
// compilers: clang,gcc
// All accesses hold the lock.

#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex mutex;
int value, seen;

int main()
{
    std::thread reads([] {
        std::lock_guard<std::mutex> guard(mutex); seen = value;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::thread writes([] {
        {
            std::lock_guard<std::mutex> guard(mutex);
            value = 1;
        }
        // The lock is taken here, too.
        std::lock_guard<std::mutex> guard(mutex);
        value = 2;
    });
    reads.join();
    writes.join();
    std::printf("%d\n", seen);
}
