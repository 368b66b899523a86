// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The creator takes the successor before it creates the task.

#include <stdio.h>

struct node {
    struct node *next;
};

struct node pool[10];

int main(void)
{
    for (int i = 0; i < 9; i++)
        pool[i].next = &pool[i + 1];
    int walked = 0;
    #pragma omp parallel
    #pragma omp single
    {
        struct node *n = pool, *after;
        while (n && walked < 10) {
            after = n->next;
            #pragma omp task firstprivate(n)
            n->next = n;
            n = after;
            walked++;
        }
    }
    printf("%d\n", walked);
}
