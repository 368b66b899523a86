// expect: race 29 39
// flags: -std=c++20 -O1 -pthread
// compilers: clang,gcc
// What the first thread touches after its section, it touches in any order of the sections.

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
        Node *found;
        {
            std::lock_guard<std::mutex> guard(mutex);
            found = head;
        }
        if (found)
            seen = found->number;
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
