// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The two-byte write begins after it.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

union word {
    int whole[2];
    short half[4];
} word;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        word.half[2] = 3;
        #pragma omp task
        use(word.whole[0]);
    }
    printf("%d\n", word.half[2]);
}
