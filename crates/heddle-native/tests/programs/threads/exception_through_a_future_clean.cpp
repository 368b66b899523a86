// expect: clean
// flags: -std=c++20 -O2 -pthread
// compilers: clang,gcc
// An exception belongs to all who hold it; the last one destroys it.

#include <cstdio>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>

int main()
{
    std::size_t length = 0;
    for (int i = 0; i < 5; i++) {
        std::string text = "a text that is too long to lie in the string itself";
        auto future = std::async(std::launch::async, [&text]() -> int {
            std::string copy = text;
            throw std::runtime_error(copy);
        });
        
        try {
            future.get();
        } catch (const std::exception &error) {
            length += std::string(error.what()).size();
        }
        text += "!";
    }
    std::printf("%d\n", length > 0);
}
