// expect: atomicity balance 20 25
// flags: -std=c++11
// threads: 1,4
// Check, then act: both tasks can find enough money for one withdrawal.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>

typedef std::lock_guard<heddle::mutex> guard;

static int balance = 100;
static heddle::mutex lock;

static bool withdraw(int amount)
{
    int left;
    {
        guard held(lock);
        left = balance;
    }
    if (left < amount)
        return false;
    guard held(lock);
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
