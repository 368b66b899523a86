// expect: clean
// flags: -std=c++17 -pthread
// A queue under one mutex, with a condition for those who wait.

#include <condition_variable>
#include <cstdio>
#include <deque>
#include <heddle.hpp>
#include <mutex>
#include <thread>

std::mutex mutex;
std::condition_variable condition;
std::deque<int> queue{1, 2, 3, 4};
bool closed;
long sum[2];

bool take(int &item)
{
    std::unique_lock<std::mutex> lock(mutex);
    while (queue.empty() && !closed)
        condition.wait(lock);
    if (queue.empty())
        return false;
    item = queue.front();
    queue.pop_front();
    return true;
}

int main()
{
    HEDDLE_GUARDED_BY(mutex, queue, closed);
    auto work = [](int me) {
        int item;
        while (take(item))
            sum[me] += item;
    };
    std::thread first(work, 0), second(work, 1);
    for (int i = 0; i < 10; i++) {
        std::lock_guard<std::mutex> lock(mutex);
        queue.push_back(i);
        condition.notify_one();
    }
    {
        std::lock_guard<std::mutex> lock(mutex);
        closed = true;
        condition.notify_all();
    }
    first.join();
    second.join();
    std::printf("%d\n", sum[0] + sum[1] > 0);
}
