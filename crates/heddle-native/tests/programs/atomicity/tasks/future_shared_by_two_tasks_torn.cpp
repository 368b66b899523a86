// expect: atomicity x 34 26 37
// flags: -std=c++11
// threads: 1,4
// Of two tasks only the other gets the future.

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
            {
                guard held(lock);
                use(x);
            }
            guard held(lock);
            use(x);
        });
    });
}
