// expect: clean
// flags: -std=c++11
// threads: 1
// One section, whenever the writer comes.

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
