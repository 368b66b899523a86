// expect: atomicity 27 34 30
// flags: -std=c++11
// threads: 1,4
// Balance and number of bookings belong together.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

struct Account {
    int balance, bookings;
};

static Account account;
static heddle::mutex lock;

int main()
{
    heddle::atomic_group(account.balance, account.bookings);
    heddle::finish([] {
        heddle::async([] {
            int seen;
            {
                guard held(lock);
                seen = account.bookings;
            }
            guard held(lock);
            account.balance = seen;
        });
        heddle::async([] {
            guard held(lock);
            account.bookings = 1;
        });
    });
}
