// expect: race
// flags: -std=c++20 -O2 -pthread
// compilers: clang,gcc
// An insertion ties nodes together that the other thread reads.

#include <cstdio>
#include <map>
#include <mutex>
#include <thread>

int main()
{
    std::map<int, int> map;
    std::mutex mutex;
    for (int i = 0; i < 100; i += 2)
        map[i] = i;
    std::thread writer([&] {
        std::lock_guard<std::mutex> lock(mutex);
        map[59] = 1;
    });
    std::size_t found;
    {
        
        found = map.count(60);
    }
    writer.join();
    std::printf("%zu\n", found);
}
