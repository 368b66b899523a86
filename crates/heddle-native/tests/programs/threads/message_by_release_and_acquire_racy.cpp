// expect: race
// flags: -std=c++20 -O2 -pthread
// compilers: clang,gcc
// The data is written once more behind the flag.

#include <atomic>
#include <cstdio>
#include <string>
#include <thread>

int main()
{
    std::string data;
    std::atomic<bool> ready{false};
    std::thread writer([&] {
        data = "written before the flag is set";
        ready.store(true, std::memory_order_release);
        data += " and after";
    });
    while (!ready.load(std::memory_order_acquire))
        std::this_thread::yield();
    std::printf("%d\n", data.size() > 0);
    writer.join();
}
