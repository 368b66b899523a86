// expect: race
// flags: -std=c++20 -O2 -pthread
// compilers: clang,gcc
// The data is written behind the change.

#include <atomic>
#include <cstdio>
#include <thread>

int main()
{
    std::atomic<int> state{0};
    int data = 0;
    std::thread thread([&] {
        
        state.store(1, std::memory_order_release);
        state.notify_one();
        data = 1;
    });
    state.wait(0, std::memory_order_acquire);
    std::printf("%d\n", data);
    thread.join();
}
