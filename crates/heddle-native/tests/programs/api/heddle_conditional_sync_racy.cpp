// expect: race 12 24
// flags: -std=c++11
// threads: 1,2,4
// Raman et al., Fig. 3 without the conditional sync taken in time: child 5 is still running.

#include <cstdio>
#include <heddle.hpp>

static int C[8];
static void f(int k)
{
    C[k]++;
}

int main()
{
    for (int i = 0; i < 8; i++) {
        heddle::spawn([i] { f(i); });
        if (i == 3) {
            heddle::sync();
            C[0] = 5;
        }
        if (i == 6)
            C[5] = 7;
    }
    heddle::sync();
    C[2] = 0;
    printf("%d\n", C[0]);
}
