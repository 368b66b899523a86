// expect: race
// flags: -std=c++17 -O2 -pthread
// compilers: clang,gcc
// It is grown by two threads.

#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

int main()
{
    std::string text = "begun with a text that is on the heap";
    std::mutex mutex;
    std::thread writer([&] {
        
        text.append(" and more of it");
    });
    {
        std::lock_guard<std::mutex> lock(mutex);
        text.replace(0, 5, "grown");
    }
    writer.join();
    std::printf("%d\n", !text.empty());
}
