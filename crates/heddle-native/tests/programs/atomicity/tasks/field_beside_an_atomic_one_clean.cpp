// expect: clean
// flags: -std=c++11
// threads: 1,4
// The writer changes the field beside it, in the same word.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

struct Account {
    int balance, bookings;
};

static Account account;
static heddle::mutex lock;

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int main()
{
    heddle::atomic(account.balance);
    heddle::finish([] {
        heddle::async([] {
            {
                guard held(lock);
                use(account.balance);
            }
            guard held(lock);
            use(account.balance);
        });
        heddle::async([] {
            guard held(lock);
            account.bookings = 1;
        });
    });
}
