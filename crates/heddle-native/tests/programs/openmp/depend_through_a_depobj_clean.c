// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// Both tasks use the inout dependence object.

#include <omp.h>
#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int x;

int main(void)
{
    omp_depend_t object;
    #pragma omp depobj(object) depend(inout : x)
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task depend(depobj : object)
        x = 1;
        #pragma omp task depend(depobj : object)
        use(x);
        #pragma omp taskwait
    }
    #pragma omp depobj(object) destroy
    printf("%d\n", x);
}
