// expect: race
// flags: -std=c++20 -O2 -pthread
// compilers: clang,gcc
// They are changed without it.

#include <cstdio>
#include <list>
#include <mutex>
#include <set>
#include <thread>

int main()
{
    std::list<int> list{1, 2, 3};
    std::set<int> set{1, 2, 3};
    std::mutex mutex;
    std::thread writer([&] {
        
        list.push_back(4);
        set.erase(2);
    });
    {
        std::lock_guard<std::mutex> lock(mutex);
        list.push_front(0);
        for (int value : set)
            list.remove(value);
    }
    writer.join();
    std::printf("%d\n", !list.empty());
}
