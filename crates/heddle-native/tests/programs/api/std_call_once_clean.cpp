// expect: clean
// flags: -pthread -std=c++17
// threads: 1
// call_once does it once, before any thread goes on.

#include <cstdio>
#include <mutex>
#include <thread>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int table;
std::once_flag once;

static void run()
{
    std::call_once(once, [] { table = 7; });
    use(table);
}

int main()
{
    std::thread first(run), second(run);
    first.join();
    second.join();
    printf("%d\n", table);
}
