// expect: race
// flags: -std=c++20 -O2 -pthread
// compilers: clang,gcc
// What both do when the queue is closed is not protected.

#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <queue>
#include <string>
#include <thread>
#include <vector>

struct Queue {
    std::queue<std::shared_ptr<std::string>> items;
    std::mutex mutex;
    std::condition_variable condition;
    bool closed = false;

    void push(std::shared_ptr<std::string> item)
    {
        std::lock_guard<std::mutex> lock(mutex);
        items.push(std::move(item));
        condition.notify_one();
    }

    std::shared_ptr<std::string> pop()
    {
        std::unique_lock<std::mutex> lock(mutex);
        condition.wait(lock, [this] { return closed || !items.empty(); });
        if (items.empty())
            return nullptr;
        auto item = items.front();
        items.pop();
        return item;
    }

    void close()
    {
        std::lock_guard<std::mutex> lock(mutex);
        closed = true;
        condition.notify_all();
    }
};

int finished;

int main()
{
    Queue queue;
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; i++)
        threads.emplace_back([&] {
            while (auto item = queue.pop())
                item->append(" that somebody has taken");
            finished++;
        });
    for (int i = 0; i < 20; i++) {
        auto item = std::make_shared<std::string>("an item");
        queue.push(item);
    }
    queue.close();
    for (auto &thread : threads)
        thread.join();
    std::puts("done");
}
