// expect: race 24 26
// flags: -std=c++20 -O2 -pthread
// compilers: clang,gcc
// The sum is made before the countdown.

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
            bool last;
            {
                std::lock_guard<std::mutex> lock(mutex);
                last = --left == 0;
            }
            parts[i] = i * 10;
            if (last)
                for (long part : parts)
                    sum += part;
        });
    for (auto &thread : threads)
        thread.join();
    std::printf("%d\n", sum >= 0);
}
