// expect: race 25 25
// flags: -fopenmp
// threads: 1,2,4,16
// The captured structs are private copies, the total is not.

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
                total += item.payload[i];
            }
        }
        #pragma omp taskwait
    }
    puts("done");
}
