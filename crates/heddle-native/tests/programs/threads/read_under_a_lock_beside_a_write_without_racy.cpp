// expect: race 17 26
// flags: -std=c++20 -O1 -pthread
// compilers: clang,gcc
// The read itself happens in any order of the sections, whatever it finds.

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
        // Somebody has forgotten the lock.
        value = 2;
    });
    reads.join();
    writes.join();
    std::printf("%d\n", seen);
}
