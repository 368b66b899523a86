// expect: clean
// flags: -std=c++11
// threads: 1,4
// Each task has a local variable of its own.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

static heddle::mutex lock;

int main()
{
    int local = 1;
    heddle::atomic(local);
    heddle::finish([&local] {
        heddle::async([local]() mutable {
            int old;
            {
                guard held(lock);
                old = local;
            }
            guard held(lock);
            local = old + 1;
        });
        heddle::async([local]() mutable {
            guard held(lock);
            local = 7;
        });
    });
    printf("%d\n", local > 0);
}
