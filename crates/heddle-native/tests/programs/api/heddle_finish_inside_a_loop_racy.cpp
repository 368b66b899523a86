// expect: race 18 25
// flags: -std=c++14
// threads: 1,2,4
// Raman et al., Fig. 2: T4 writes B[0] in parallel with T2.

#include <cstdio>
#include <heddle.hpp>

int A[4], B[4];

int main()
{
    int i = 0;
    heddle::finish([&] {
        // T2
        heddle::async([i] {
            int *b = B;
            b[i] = 1;
            for (int j = 0; j < 4; j++)
                A[j] = j;
        });
        heddle::finish([&] {
            heddle::async([i] {
                heddle::async([i] {
                    B[i] = 2;
                });
            });
        });
    });
    printf("%d %d\n", A[3], B[0]);
}
