// expect: race 12 15
// flags: -pthread -std=c++17
// The result is read from the variable before get.

#include <future>

int value;

int main()
{
    auto future = std::async(std::launch::async, [] {
        value = 6;
        return 7;
    });
    int seen = value;
    int got = future.get();
    return got + seen < 0;
}
