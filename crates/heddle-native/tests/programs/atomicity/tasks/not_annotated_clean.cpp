// expect: clean
// flags: -std=c++11
// threads: 1,4
// Updates in two sections, of a variable that nobody declares atomic.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

static int x;
static heddle::mutex lock;

int main()
{
    heddle::finish([] {
        heddle::async([] {
            {
                std::lock_guard<heddle::mutex> guard(lock);
                x = x + 1;
            }
            std::lock_guard<heddle::mutex> guard(lock);
            x = x + 1;
        });
        heddle::async([] {
            std::lock_guard<heddle::mutex> guard(lock);
            x = 7;
        });
    });
}
