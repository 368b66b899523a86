// expect: clean
// flags: -std=c++11
// threads: 1,4
// The task gets the future before its pair.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

static int x;
static heddle::mutex lock;

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int main()
{
    heddle::atomic(x);
    heddle::future<int> written = heddle::async_future([] {
        guard held(lock);
        x = 1;
        return 1;
    });
    heddle::finish([written] {
        heddle::async([written] { use(written.get()); });
        heddle::async([written] {
            use(written.get());
            {
                guard held(lock);
                use(x);
            }
            guard held(lock);
            use(x);
        });
    });
}
