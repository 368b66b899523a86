// expect: clean
// flags: -std=c++11 -Wextra
// compilers: clang,gcc
// threads: 1,2,4
// stdout: 5 6 42
// After Nakade et al.: whoever gets a future comes after it. Handles may be dropped at any time.

#include <cstdio>
#include <heddle.hpp>
#include <memory>
#include <string>

int x, y;

int main()
{
    heddle::finish([] {
        heddle::future<std::string> f = heddle::async_future([] {
            x = 5;
            return std::string("a string that does not fit into its object");
        });
        heddle::async([f] {
            if (f.get().size() > 20)
                y = x + 1;
        });
        heddle::async([f] { f.wait(); });
        heddle::async_future([] { return std::string("nobody wants this, so it is dropped"); });
    });
    heddle::future<void> nothing = heddle::async_future([] { x++; x--; });
    nothing.get();
    heddle::future<std::unique_ptr<int>> owned =
        heddle::async_future([] { return std::unique_ptr<int>(new int(42)); });
    heddle::future<int &> reference = heddle::async_future([]() -> int & { return x; });
    printf("%d %d %d\n", reference.get(), y, *owned.get());
}
