// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The arguments are separate variables.

#include <stdarg.h>
#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int cell[2];

__attribute__((noinline)) static void add_all(int count, ...)
{
    va_list arguments;
    va_start(arguments, count);
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += *va_arg(arguments, int *);
    va_end(arguments);
    use(sum);
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        cell[1] = 1;
        #pragma omp task
        add_all(2, &cell[0], &cell[0]);
    }
    printf("%d\n", cell[1]);
}
