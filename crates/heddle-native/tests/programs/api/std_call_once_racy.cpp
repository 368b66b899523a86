// expect: race 15 15
// flags: -pthread -std=c++17
// threads: 1
// Each thread initialises the table itself.

#include <cstdio>
#include <mutex>
#include <thread>

int table;
std::once_flag once;

static void run()
{
    table = 7;
}

int main()
{
    std::thread first(run), second(run);
    first.join();
    second.join();
    puts("done");
}
