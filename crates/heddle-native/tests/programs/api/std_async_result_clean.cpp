// expect: clean
// flags: -pthread -std=c++17
// threads: 1
// get() returns after the task has completed.

#include <cstdio>
#include <future>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int x;

int main()
{
    std::future<int> result = std::async(std::launch::async, [] {
        x = 1;
        return 5;
    });
    int five = result.get();
    use(x);
    printf("%d\n", five);
}
