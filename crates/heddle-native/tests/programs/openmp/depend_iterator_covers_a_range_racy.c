// expect: race 23 26
// flags: -fopenmp
// threads: 1,2,4,16
// The iterator stops one element short of what is read.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int a[8];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        for (int i = 0; i < 8; i++) {
            #pragma omp task depend(out : a[i])
            a[i] = i;
        }
        #pragma omp task depend(iterator(k = 0 : 7), in : a[k])
        use(a[7]);
        #pragma omp taskwait
    }
    puts("done");
}
