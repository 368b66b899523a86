// expect: possible atomicity x 28 45 32
// flags: -std=c++11
// threads: 1
// The writer comes only after a flag said so. Torn only if it can come earlier.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

static int x, done;
static heddle::mutex lock, of_done;

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int main()
{
    heddle::atomic(x);
    heddle::finish([] {
        heddle::async([] {
            {
                guard held(lock);
                use(x);
            }
            {
                guard held(lock);
                x = 1;
            }
            guard held(of_done);
            done = 1;
        });
        heddle::async([] {
            bool go;
            {
                guard held(of_done);
                go = done == 1;
            }
            if (go) {
                guard held(lock);
                x = 2;
            }
        });
    });
}
