// expect: race 14 15
// flags: -pthread -O1
// compilers: clang,gcc
// Both threads put into one stream; that they also print is no race.

#include <iostream>
#include <sstream>
#include <thread>

int main()
{
    std::ostringstream text;
    auto print = [](int n) { std::cout << "thread " << n << '\n'; };
    std::thread first([&] { text << 1; print(1); });
    std::thread second([&] { text << "two"; print(2); });
    first.join();
    second.join();
    return text.str().empty();
}
