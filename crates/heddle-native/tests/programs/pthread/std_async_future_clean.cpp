// expect: clean
// flags: -pthread -std=c++17
// The result is read after get.

#include <future>

int value;

int main()
{
    auto future = std::async(std::launch::async, [] {
        value = 6;
        return 7;
    });
    int got = future.get();
    int seen = value;
    return got + seen < 0;
}
