// expect: clean
// flags: -std=c++11
// threads: 1,4
// Each field is atomic for itself, though both lie in one word.

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
    heddle::atomic(account);
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
