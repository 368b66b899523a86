// expect: atomicity account
// flags: -std=c++17 -pthread
// compilers: clang,gcc
// The balance is looked at in one section, and what depends on it is changed in another.

#include <cstdio>
#include <heddle.hpp>
#include <mutex>
#include <thread>

struct Account {
    std::mutex mutex;
    int balance = 100, changes = 0;

    Account() { HEDDLE_GUARDED_BY(mutex, balance, changes); }
};

void deposit(Account &account, int amount)
{
    std::lock_guard<std::mutex> lock(account.mutex);
    account.balance += amount;
    account.changes++;
}

bool has(Account &account, int amount)
{
    std::lock_guard<std::mutex> lock(account.mutex);
    return account.balance >= amount;
}

int main()
{
    Account account;
    auto work = [&account] {
        for (int i = 0; i < 10; i++) {
            if (has(account, 5))
                deposit(account, -5);
        }
    };
    std::thread first(work), second(work);
    first.join();
    second.join();
    std::printf("%d\n", account.balance);
}
