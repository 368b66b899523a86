// expect: clean
// flags: -pthread -O1
// compilers: clang,gcc
// Each thread takes the mutex for the stream they share, and prints without it.

#include <iostream>
#include <mutex>
#include <sstream>
#include <thread>

int main()
{
    std::mutex mutex;
    std::ostringstream text;
    auto print = [](int n) { std::cout << "thread " << n << ' ' << 0.5 << '\n' << std::flush; };
    auto add = [&](auto value) { std::lock_guard guard(mutex); text << value << ' ' << 2.5 << std::endl; };
    std::thread first([&] { add(1); print(1); });
    std::thread second([&] { add("two"); print(2); });
    first.join();
    second.join();
    std::istringstream back(text.str());
    int one = 0;
    back >> one;
    return one != 1 && one != 0;
}
