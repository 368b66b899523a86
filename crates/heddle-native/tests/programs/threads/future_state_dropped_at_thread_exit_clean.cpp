// expect: clean
// flags: -std=c++20 -O2 -pthread
// compilers: clang,gcc
// The state of a future is destroyed by whoever drops it last: often the thread, when it ends.

#include <cstdio>
#include <future>
#include <string>
#include <thread>
#include <vector>

int main()
{
    std::vector<std::thread> threads;
    std::size_t length = 0;
    for (int i = 0; i < 20; i++) {
        std::promise<std::string> promise;
        auto future = promise.get_future().share();
        threads.emplace_back([](std::promise<std::string> promise) {
            promise.set_value_at_thread_exit(std::string(100, 'x'));
        }, std::move(promise));
        if (i % 3)
            length += future.get().size();
    }
    for (auto &thread : threads)
        thread.join();
    std::printf("%zu\n", length);
}
