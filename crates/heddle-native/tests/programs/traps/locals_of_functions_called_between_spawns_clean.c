// expect: clean
// flags: -fopenmp
// threads: 1,2,4
// Functions that are called between two spawns fill arrays of their own, of which no task knows. One
// array a task was told of by a function that has returned, and it is filled when the task is over.

#include <stdio.h>

__attribute__((noinline)) static void fill(int *numbers, int value)
{
    for (int i = 0; i < 24; i++)
        numbers[i] = value + i;
}

__attribute__((noinline)) static int mix(int value)
{
    int own[24];
    fill(own, value);
    int sum = 0;
    for (int i = 0; i < 24; i++)
        sum += own[i];
    return sum;
}

__attribute__((noinline)) static void spawn_reader(int *told, int *seen)
{
    #pragma omp task
    *seen = told[3];
}

__attribute__((noinline)) static int use(int value)
{
    int told[24];
    int seen = 0;
    fill(told, value);
    int sum = mix(value);
    spawn_reader(told, &seen);
    sum += mix(value + 1);
    sum += mix(value + 2);
    #pragma omp taskwait
    fill(told, value + 2);
    fill(told, value + 3);
    return sum + seen + told[5] + mix(value);
}

int main(void)
{
    int total = 0;
    #pragma omp parallel
    #pragma omp single
    for (int round = 0; round < 3; round++)
        total += use(round);
    printf("%d\n", total != 0);
    return 0;
}
