// expect: clean
// flags: -std=c++17 -pthread
// Nobody else writes what the last section overwrites, and nobody has looked at it.

#include <condition_variable>
#include <cstdio>
#include <heddle.hpp>
#include <mutex>
#include <queue>
#include <thread>

std::mutex mutex;
std::condition_variable work, idle;
std::queue<int> jobs;
int busy;
bool stop;
HEDDLE_GUARDED_BY(mutex, jobs, busy, stop);

void serve()
{
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
        work.wait(lock, [] { return stop || !jobs.empty(); });
        if (jobs.empty())
            return;
        jobs.pop();
        busy++;
        lock.unlock();
        std::this_thread::yield();
        lock.lock();
        busy--;
        if (busy == 0 && jobs.empty())
            idle.notify_all();
    }
}

void submit(int job)
{
    {
        std::lock_guard<std::mutex> lock(mutex);
        jobs.push(job);
    }
    work.notify_one();
}

int main()
{
    std::thread first(serve), second(serve);
    for (int i = 0; i < 20; i++)
        submit(i);
    {
        std::unique_lock<std::mutex> lock(mutex);
        idle.wait(lock, [] { return busy == 0 && jobs.empty(); });
    }
    {
        std::lock_guard<std::mutex> lock(mutex);
        stop = true;
    }
    work.notify_all();
    first.join();
    second.join();
    std::puts("done");
}
