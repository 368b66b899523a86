// expect: clean
// flags: -pthread -std=c++17
// call_once decides who initialises.

#include <mutex>
#include <thread>

int table, seen[2];
std::once_flag once;

void work(int me)
{
    std::call_once(once, [] { table = 5; });
    seen[me] = table;
}

int main()
{
    std::thread first(work, 0), second(work, 1);
    first.join();
    second.join();
}
