// expect: atomicity x 24 32 27
// flags: -std=c++11
// threads: 1,4
// The pair is a grandchild's, and the writer a sibling of its parent.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

static int x;
static heddle::mutex lock;

int main()
{
    heddle::atomic(x);
    heddle::finish([] {
        heddle::async([] {
            heddle::async([] {
                int old;
                {
                    guard held(lock);
                    old = x;
                }
                guard held(lock);
                x = old + 1;
            });
        });
        heddle::async([] {
            guard held(lock);
            x = 7;
        });
    });
}
