// expect: atomicity balance
// flags: -std=c++17 -pthread
// The balance is looked at in one section and changed in another.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>
#include <thread>

std::mutex mutex;
int balance = 100;
HEDDLE_ATOMIC(balance);

int look()
{
    std::lock_guard<std::mutex> lock(mutex);
    return balance;
}

void withdraw(int amount)
{
    if (look() >= amount) {
        std::lock_guard<std::mutex> lock(mutex);
        balance -= amount;
    }
}

int main()
{
    std::thread first(withdraw, 10), second(withdraw, 20);
    first.join();
    second.join();
    std::printf("%d\n", balance);
}
