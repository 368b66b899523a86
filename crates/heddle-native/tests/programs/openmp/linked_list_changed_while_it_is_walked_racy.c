// expect: race 25 26
// flags: -fopenmp
// threads: 1,2,4,16
// A task unlinks the node that its creator is about to step over.

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
            #pragma omp task firstprivate(n)
            n->next = n;
            after = n->next;
            n = after;
            walked++;
        }
    }
    puts("done");
}
