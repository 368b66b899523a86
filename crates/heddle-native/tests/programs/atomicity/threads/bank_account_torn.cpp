// expect: atomicity balance
// flags: -std=c++17 -pthread
// It is looked at in one section and changed in the next.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>
#include <thread>

std::mutex mutex;
int balance = 100;
HEDDLE_ATOMIC(balance);

void withdraw(int amount)
{
    for (int i = 0; i < 5; i++) {
        bool enough;
        {
            std::lock_guard<std::mutex> lock(mutex);
            enough = balance >= amount;
        }
        if (enough) {
            std::lock_guard<std::mutex> lock(mutex);
            balance -= amount;
        }
    }
}

void deposit(int amount)
{
    for (int i = 0; i < 5; i++) {
        std::lock_guard<std::mutex> lock(mutex);
        balance += amount;
    }
}

int main()
{
    std::thread first(withdraw, 10), second(withdraw, 20), third(deposit, 5);
    first.join();
    second.join();
    third.join();
    std::printf("%d\n", balance);
}
