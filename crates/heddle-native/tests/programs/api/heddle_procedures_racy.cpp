// expect: race 21 28
// flags: -std=c++11
// threads: 1,2,4
// The sync of a procedure does not wait for its caller's children.

#include <cstdio>
#include <heddle.hpp>

int x, y;

static void called()
{
    heddle::procedure p;
    p.spawn([] { y = 1; });
    p.sync();
}

int main()
{
    heddle::spawn([] {
        x = 1;
    });
    called();
    // Ordered.
    y = 2;
    // Not ordered.
    if (y == 2)
        x = 2;
    heddle::sync();
    printf("%d\n", y);
}
