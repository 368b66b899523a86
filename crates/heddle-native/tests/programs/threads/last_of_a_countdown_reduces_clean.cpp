// expect: clean
// flags: -std=c++20 -O2 -pthread
// compilers: clang,gcc
// Whoever counts down to zero has seen that all others have: their parts are complete.

#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

int main()
{
    std::mutex mutex;
    int left = 4;
    long parts[4], sum = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&, i] {
            parts[i] = i * 10;
            bool last;
            {
                std::lock_guard<std::mutex> lock(mutex);
                last = --left == 0;
            }
            if (last)
                for (long part : parts)
                    sum += part;
        });
    for (auto &thread : threads)
        thread.join();
    std::printf("%d\n", sum >= 0);
}
