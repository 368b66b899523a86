// expect: race 
// flags: -pthread -std=c++17
// One side forgets the guard.

#include <mutex>
#include <thread>
#include <vector>

std::vector<int> values;
std::mutex mutex;

int main()
{
    std::thread thread([] {
        std::lock_guard<std::mutex> guard(mutex);
        values.push_back(1);
    });
    {
        values.push_back(2);
    }
    thread.join();
    return values.size() != 2;
}
