// expect: race 20 23
// flags: -pthread -std=c++17
// threads: 1
// The variable is read before the future is waited for.

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
    use(x);
    int five = result.get();
    printf("%d\n", five);
}
