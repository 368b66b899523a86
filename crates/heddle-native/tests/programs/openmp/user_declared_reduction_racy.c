// expect: race 20 20
// flags: -fopenmp
// threads: 2,4
// The threads merge into the shared result directly.

#include <omp.h>
#include <stdio.h>

struct range {
    int low, high;
};

#pragma omp declare reduction(join:struct range : omp_out.low = omp_in.low < omp_out.low ? omp_in.low : omp_out.low, omp_out.high = omp_in.high > omp_out.high ? omp_in.high : omp_out.high) initializer(omp_priv = omp_orig)

int main(void)
{
    struct range all = {100, -100};
    #pragma omp parallel for
    for (int i = 0; i < 64; i++) {
        all.low = i - 7;
    }
    puts("done");
}
