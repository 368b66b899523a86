// expect: clean
// flags: -std=c++14
// threads: 1,2,4
// stdout: 3 2
// Raman et al., Fig. 2, fixed: T2 is joined by a finish of its own before T3 starts.

#include <cstdio>
#include <heddle.hpp>

int A[4], B[4];

int main()
{
    int i = 0;
    heddle::finish([&] {
        heddle::finish([&] {
            heddle::async([i] {
                B[i] = 1;
                for (int j = 0; j < 4; j++)
                    A[j] = j;
            });
        });
        heddle::finish([&] {
            heddle::async([i] {
                heddle::async([i] { B[i] = 2; });
            });
        });
    });
    printf("%d %d\n", A[3], B[0]);
}
