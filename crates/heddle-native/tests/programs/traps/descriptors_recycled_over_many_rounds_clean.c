// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The tasks' private copies live in descriptors that are used again and again.

#include <stdio.h>

struct big {
    int key;
    int payload[20];
};

int out[4], total;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 4; i++) {
            struct big item = {i, {round}};
            #pragma omp task firstprivate(item)
            {
                item.payload[i] += item.key;
                out[item.key] += item.payload[i];
            }
        }
        #pragma omp taskwait
    }
    printf("%d\n", out[3]);
}
