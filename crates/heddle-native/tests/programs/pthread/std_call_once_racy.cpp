// expect: race 13 15
// flags: -pthread -std=c++17
// A static flag decides who initialises.

#include <mutex>
#include <thread>

int table, seen[2];
bool done;

void work(int me)
{
    if (!done) {
        table = 5;
        done = true;
    }
}

int main()
{
    std::thread first(work, 0), second(work, 1);
    first.join();
    second.join();
}
