// expect: race 18 22
// flags: -pthread -std=c++20 -O2
// compilers: clang,gcc
// The pointer is atomic, and what it points to is not.

#include <atomic>
#include <memory>
#include <thread>

static std::atomic<std::shared_ptr<int>> current;

int main()
{
    current = std::make_shared<int>(0);
    std::thread writer([] {
        for (int i = 1; i <= 20; i++) {
            auto own = current.load();
            *own = i;
        }
    });
    auto own = current.load();
    int last = *own;
    writer.join();
    return last > 20;
}
