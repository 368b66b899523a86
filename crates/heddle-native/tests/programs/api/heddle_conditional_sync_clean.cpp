// expect: clean
// flags: -std=c++11
// threads: 1,2,4
// stdout: 5 7 1
// Raman et al., Fig. 3: a sync taken only at i == 3 orders the first four children before what follows.

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
            C[1] = 7;
    }
    heddle::sync();
    C[2] = 0;
    printf("%d %d %d\n", C[0], C[1], C[3]);
}
