// expect: possible 25 35
// flags: -std=c++20 -O1 -pthread
// compilers: clang,gcc
// Had the sections come the other way round, the first thread would not have touched what the second took.

#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

struct Node {
    int number;
};

std::mutex mutex;
Node *head;
int seen;

int main()
{
    head = new Node{7};
    std::thread looks([] {
        std::lock_guard<std::mutex> guard(mutex);
        if (head)
            seen = head->number;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::thread takes([] {
        Node *mine;
        {
            std::lock_guard<std::mutex> guard(mutex);
            mine = head;
            head = nullptr;
        }
        mine->number = 9;
    });
    looks.join();
    takes.join();
    std::printf("%d\n", seen);
}
