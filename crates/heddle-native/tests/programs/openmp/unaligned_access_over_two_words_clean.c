// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// They end before the byte the other task writes.

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
        bytes[10] = 1;
    }
    printf("%d %d\n", bytes[6], bytes[10]);
}
