// expect: clean
// flags: -fopenmp
// threads: 2,4,16
// Atomic capture gives each iteration its own slot.

#include <stdio.h>

int next, slot[64];

int main(void)
{
    #pragma omp parallel for schedule(dynamic, 4)
    for (int i = 0; i < 64; i++) {
        int mine;
        #pragma omp atomic capture
        mine = next++;
        slot[mine] = i;
    }
    int sum = 0;
    for (int i = 0; i < 64; i++)
        sum += slot[i];
    printf("%d\n", sum);
}
