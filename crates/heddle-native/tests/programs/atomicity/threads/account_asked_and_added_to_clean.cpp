// expect: clean
// flags: -std=c++17 -pthread
// compilers: clang,gcc
// What is deposited does not depend on what was seen: the first deposit comes before any look.

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
            deposit(account, 1);
            if (!has(account, 1000))
                std::puts("too little");
        }
    };
    std::thread first(work), second(work);
    first.join();
    second.join();
    std::printf("%d\n", account.balance);
}
