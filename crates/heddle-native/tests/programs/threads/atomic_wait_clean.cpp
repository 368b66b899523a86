// expect: clean
// flags: -std=c++20 -O2 -pthread
// compilers: clang,gcc
// A wait ends when the value has changed, after what came before the change.

#include <atomic>
#include <cstdio>
#include <thread>

int main()
{
    std::atomic<int> state{0};
    int data = 0;
    std::thread thread([&] {
        data = 1;
        state.store(1, std::memory_order_release);
        state.notify_one();
        
    });
    state.wait(0, std::memory_order_acquire);
    std::printf("%d\n", data);
    thread.join();
}
