// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// Tasks that meet at a variable of their thread ran one after the other, whatever they do to it.

#include <stdio.h>

static _Thread_local int mine;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 16; i++) {
        #pragma omp task
        {
            if (i % 2)
                __atomic_add_fetch(&mine, 1, __ATOMIC_SEQ_CST);
            else
                mine++;
        }
    }
    puts("done");
}
