// expect: atomicity x 23 31 26
// flags: -std=c++11
// threads: 1,4
// Read under one lock and written under another. The writer has both, but can come in between.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

static int x;
static heddle::mutex first, second;

int main()
{
    heddle::atomic(x);
    heddle::finish([] {
        heddle::async([] {
            int old;
            {
                guard held(first);
                old = x;
            }
            guard held(second);
            x = old + 1;
        });
        heddle::async([] {
            guard held(first);
            guard held_too(second);
            x = 7;
        });
    });
}
