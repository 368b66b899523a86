// expect: race 19 19
// flags: -pthread -std=c++17
// threads: 1
// The counter is a plain int.

#include <cstdio>
#include <thread>

int counter;

int main()
{
    std::thread first([] {
        for (int i = 0; i < 10; i++)
            counter = i;
    });
    first.join();
    auto add = [] {
        counter++;
    };
    std::thread second(add), third(add);
    second.join();
    third.join();
    puts("done");
}
