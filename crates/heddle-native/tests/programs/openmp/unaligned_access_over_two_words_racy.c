// expect: race 20 22
// flags: -fopenmp
// threads: 1,2,4,16
// The unaligned four bytes reach into the next word.

#include <stdio.h>

char bytes[16] __attribute__((aligned(8)));

struct __attribute__((packed)) unaligned {
    int value;
};

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        ((struct unaligned *)(bytes + 6))->value = 0x01020304;
        #pragma omp task
        bytes[9] = 1;
    }
    puts("done");
}
