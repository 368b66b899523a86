// expect: race 23 26
// flags: -fopenmp
// threads: 1,2,4,16
// The second kind of task shares the parent's array instead of copying it.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int out[64];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        int array[16] = {0};
        for (int i = 0; i < 64; i++) {
            array[i % 16] = i;
            #pragma omp task shared(array)
            {
                use(array[i % 16]);
            }
        }
        #pragma omp taskwait
    }
    puts("done");
}
