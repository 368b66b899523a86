// expect: clean
// flags: -pthread -std=c++17
// threads: 1
// The counter is atomic.

#include <atomic>
#include <cstdio>
#include <thread>

std::atomic<int> counter;

int main()
{
    std::thread first([] {
        for (int i = 0; i < 10; i++)
            counter += 1;
    });
    first.join();
    auto add = [] {
        counter++;
    };
    std::thread second(add), third(add);
    second.join();
    third.join();
    printf("%d\n", counter.load());
}
