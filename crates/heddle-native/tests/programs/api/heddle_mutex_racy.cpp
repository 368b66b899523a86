// expect: race 18 25
// flags: -std=c++11
// threads: 1,2,4
// One lock as in a hand-off, but nothing flows through it: the race is certain.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

heddle::mutex lock;
int x, y, z;

int main()
{
    heddle::finish([] {
        heddle::async([] {
            int *there = &x;
            *there = 1;
            std::lock_guard<heddle::mutex> guard(lock);
            y = 1;
        });
        heddle::async([] {
            { std::lock_guard<heddle::mutex> guard(lock); z = 1; }
            int *there = &x;
            *there = 2;
        });
    });
    printf("%d\n", y + z);
}
