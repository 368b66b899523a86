// expect: clean
// flags: -pthread -std=c++20 -O2
// compilers: clang,gcc
// The pointer is atomic as a whole; the library has a lock of its own for it.

#include <atomic>
#include <memory>
#include <thread>

static std::atomic<std::shared_ptr<int>> current;

int main()
{
    current = std::make_shared<int>(0);
    std::thread writer([] {
        for (int i = 1; i <= 20; i++)
            current = std::make_shared<int>(i);
    });
    int last = 0;
    while (last < 20)
        last = *current.load();
    writer.join();
    return last != 20;
}
