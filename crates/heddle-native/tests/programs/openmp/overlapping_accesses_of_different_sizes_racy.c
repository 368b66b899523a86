// expect: race 25 27
// flags: -fopenmp
// threads: 1,2,4,16
// A two-byte write overlaps the last byte of a four-byte read.

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
        word.half[1] = 3;
        #pragma omp task
        use(word.whole[0]);
    }
    puts("done");
}
