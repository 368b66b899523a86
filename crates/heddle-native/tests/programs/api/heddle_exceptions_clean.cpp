// expect: clean
// flags: -std=c++11
// compilers: clang,gcc
// threads: 1,2,4
// stdout: body 10, future, loop, inner
// A finish waits for its tasks, then throws; a future throws where it is got.

#include <cstdio>
#include <heddle.hpp>
#include <stdexcept>
#include <string>

template <class F>
static std::string thrown(F body)
{
    try {
        body();
    } catch (const std::exception &error) {
        return error.what();
    }
    return "nothing";
}

int main()
{
    int done[10] = {0};
    std::string body = thrown([&] {
        heddle::finish([&] {
            for (int i = 0; i < 10; i++)
                heddle::async([&done, i] { done[i] = 1; });
            throw std::runtime_error("body");
        });
    });
    int sum = 0;
    for (int i = 0; i < 10; i++)
        sum += done[i];
    std::string future = thrown([] {
        heddle::async_future([]() -> int { throw std::logic_error("future"); }).get();
    });
    std::string loop = thrown([] {
        heddle::parallel_for(0, 100, [](int i) {
            if (i % 10 == 3)
                throw std::runtime_error("loop");
        });
    });
    std::string inner = thrown([] {
        heddle::finish([] {
            heddle::procedure p;
            p.spawn([] { heddle::async([] { throw std::runtime_error("inner"); }); });
            p.sync();
        });
    });
    printf("%s %d, %s, %s, %s\n", body.c_str(), sum, future.c_str(), loop.c_str(), inner.c_str());
}
