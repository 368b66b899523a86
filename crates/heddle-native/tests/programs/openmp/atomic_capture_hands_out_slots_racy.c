// expect: race 21 21
// flags: -fopenmp
// threads: 2,4,16
// The slot number is taken with a plain increment.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int next, slot[64];

int main(void)
{
    #pragma omp parallel for schedule(dynamic, 4)
    for (int i = 0; i < 64; i++) {
        int mine;
        mine = next++;
        use(mine);
    }
    int sum = 0;
    for (int i = 0; i < 64; i++)
        sum += slot[i];
    use(sum);
    puts("done");
}
