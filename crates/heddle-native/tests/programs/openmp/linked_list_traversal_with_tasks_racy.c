// expect: race 26 26
// flags: -fopenmp
// threads: 1,2,4,16
// The tasks also count in a shared variable.

#include <stdio.h>

struct node {
    int value;
    struct node *next;
};

struct node pool[10];
int visited;

int main(void)
{
    for (int i = 0; i < 9; i++)
        pool[i].next = &pool[i + 1];
    #pragma omp parallel
    #pragma omp single
    for (struct node *n = pool; n; n = n->next) {
        #pragma omp task firstprivate(n)
        {
            n->value += 1;
            visited++;
        }
    }
    puts("done");
}
