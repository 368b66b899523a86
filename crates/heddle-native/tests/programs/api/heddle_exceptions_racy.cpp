// expect: race 18 20
// flags: -std=c++11
// threads: 1,2,4
// stdout: caught a task's
// A task that throws has raced before.

#include <cstdio>
#include <heddle.hpp>
#include <stdexcept>

int x;

int main()
{
    try {
        heddle::finish([] {
            heddle::async([] {
                x = 1; throw std::runtime_error("a task's"); });
            heddle::async([] { heddle::async([] {
                x = 2; }); });
        });
    } catch (const std::exception &error) {
        printf("caught %s\n", error.what());
    }
}
