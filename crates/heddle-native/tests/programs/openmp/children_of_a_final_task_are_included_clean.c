// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The child of a final task runs at once, in its parent.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int x;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task final(1)
        {
            #pragma omp task
            x = 1;
            use(x);
        }
    }
    printf("%d\n", x);
}
