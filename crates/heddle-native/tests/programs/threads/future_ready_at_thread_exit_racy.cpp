// expect: race
// flags: -std=c++20 -O2 -pthread
// compilers: clang,gcc
// Another thread writes, which nobody waits for.

#include <cstdio>
#include <future>
#include <thread>

int main()
{
    int data = 0;
    std::promise<int> promise;
    auto future = promise.get_future();
    std::thread thread([&data](std::promise<int> promise) {
        promise.set_value_at_thread_exit(1);
        
    }, std::move(promise));
    std::thread other([&data] { data = 2; });
    future.get();
    std::printf("%d\n", data);
    thread.join();
    other.join();
}
