// expect: clean
// flags: -std=c++20 -O2 -pthread
// compilers: clang,gcc
// Several threads handle one exception, and each may be the last.

#include <cstdio>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

int main()
{
    std::promise<int> promise;
    std::shared_future<int> future = promise.get_future().share();
    std::size_t lengths[3] = {};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([future, &lengths, i] {
            
            try {
                future.get();
            } catch (const std::logic_error &error) {
                lengths[i] += std::string(error.what()).size();
            }
        });
    promise.set_exception(std::make_exception_ptr(std::logic_error("one exception for all of them")));
    for (auto &thread : threads)
        thread.join();
    std::printf("%d\n", lengths[0] > 0);
}
