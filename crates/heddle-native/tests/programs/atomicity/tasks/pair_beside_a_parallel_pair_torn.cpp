// expect: race 23 30
// expect: atomicity x 23 30
// flags: -std=c++11
// threads: 1,4
// After Yoga and Nagarakatte, Fig. 9, which misses it: the last pair is torn by the first task, while its own child's pair is not.

#include <cstdio>
#include <heddle.hpp>

static volatile int x;

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int main()
{
    heddle::atomic(x);
    heddle::finish([] {
        heddle::async([] {
            x = 1;
            heddle::async([] {
                use(x);
                use(x);
            });
        });
        heddle::async([] {
            int first = x, second = x;
            use(first + second);
        });
    });
}
