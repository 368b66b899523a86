// expect: race 17 19
// flags: -std=c++11
// compilers: clang,gcc
// threads: 1,2,4
// The main task reads before it gets the future.

#include <cstdio>
#include <heddle.hpp>
#include <string>

int x;

int main()
{
    heddle::finish([] {
        heddle::future<std::string> f = heddle::async_future([] {
            x = 1; return std::string("a string that does not fit into its object"); });
        heddle::future<std::string> copy = f;
        if (x < 0) puts("never");
        if (copy.get() != f.get() || f.get().size() < 20) puts("never");
    });
}
