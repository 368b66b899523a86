// expect: clean
// flags: -std=c++11 -pthread
// compilers: clang,gcc
// threads: 1,2,4
// stdout: 300
// A task created while its creator holds the lock that it needs is not run on top of it.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

int main()
{
    heddle::mutex lock;
    std::mutex other;
    int count = 0;
    heddle::finish([&] {
        for (int i = 0; i < 100; i++) {
            std::lock_guard<heddle::mutex> guard(lock);
            heddle::async([&] {
                std::lock_guard<heddle::mutex> guard(lock);
                count++;
            });
            count++;
        }
        std::lock_guard<std::mutex> outer(other);
        heddle::async([&] {
            std::lock_guard<std::mutex> outer(other);
            for (int i = 0; i < 100; i++) {
                std::lock_guard<heddle::mutex> guard(lock);
                count++;
            }
        });
    });
    printf("%d\n", count);
}
