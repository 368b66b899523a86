// expect: clean
// flags: -std=c++20 -O2 -pthread
// compilers: clang,gcc
// The value is there when the thread has ended, and so is all it did.

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
        data = 2;
    }, std::move(promise));
    
    future.get();
    std::printf("%d\n", data);
    thread.join();
    
}
