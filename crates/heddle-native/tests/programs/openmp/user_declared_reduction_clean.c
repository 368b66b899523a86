// expect: clean
// flags: -fopenmp
// threads: 2,4
// The declared reduction merges private copies.

#include <omp.h>
#include <stdio.h>

struct range {
    int low, high;
};

#pragma omp declare reduction(join:struct range : omp_out.low = omp_in.low < omp_out.low ? omp_in.low : omp_out.low, omp_out.high = omp_in.high > omp_out.high ? omp_in.high : omp_out.high) initializer(omp_priv = (struct range){100, -100})

int main(void)
{
    struct range all = {100, -100};
    #pragma omp parallel for reduction(join : all)
    for (int i = 0; i < 64; i++) {
        if (i - 7 < all.low)
            all.low = i - 7;
        if (i > all.high)
            all.high = i;
    }
    printf("%d %d\n", all.low, all.high);
}
