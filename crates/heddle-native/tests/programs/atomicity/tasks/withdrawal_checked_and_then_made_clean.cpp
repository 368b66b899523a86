// expect: clean
// flags: -std=c++11
// threads: 1,4
// Checked and made under one lock.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

static int balance = 100;
static heddle::mutex lock;

static bool withdraw(int amount)
{
    guard held(lock);
    int left = balance;
    if (left < amount)
        return false;
    balance = left - amount;
    return true;
}

int main()
{
    heddle::atomic(balance);
    heddle::finish([] {
        heddle::async([] { withdraw(30); });
        heddle::async([] { withdraw(40); });
    });
    printf("%d\n", balance >= 0);
}
