// expect: clean
// flags: -std=c++11
// threads: 1,2,4
// stdout: 610
// Cilk's first example.

#include <cstdio>
#include <heddle.hpp>

static int fib(int n)
{
    if (n < 2)
        return n;
    heddle::procedure p;
    int a, b;
    p.spawn([&] { a = fib(n - 1); });
    b = fib(n - 2);
    p.sync();
    return a + b;
}

int main()
{
    printf("%d\n", fib(15));
}
