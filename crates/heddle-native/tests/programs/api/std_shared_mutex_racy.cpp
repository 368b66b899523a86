// expect: race 24 27
// flags: -pthread -std=c++17
// threads: 1
// The reader does not lock.

#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int x;
std::shared_mutex mutex;

int main()
{
    std::thread writer([] {
        std::unique_lock<std::shared_mutex> guard(mutex);
        x = 1;
    });
    std::thread reader([] {
        use(x);
    });
    writer.join();
    reader.join();
    puts("done");
}
