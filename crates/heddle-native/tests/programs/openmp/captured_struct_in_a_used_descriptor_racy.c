// expect: race 15 26
// flags: -fopenmp
// compilers: clang,gcc
// threads: 1,2,4
// All children of a node count in one place.
#include <stdlib.h>

struct node {
    unsigned long number;
    int depth;
};

static void visit(struct node node, long *leaves) {
    if (node.depth == 6) {
        *leaves += 1;
        return;
    }
    long *below = calloc(3, sizeof *below);
    for (int i = 0; i < 3; i++) {
        struct node child = {node.number * 3 + i, node.depth + 1};
#pragma omp task firstprivate(child, i)
        visit(child, &below[0]);
    }
#pragma omp taskwait
    for (int i = 0; i < 3; i++) {
        *leaves += below[i];
    }
    free(below);
}

int main(void) {
    long leaves = 0;
#pragma omp parallel
#pragma omp single
    {
        struct node root = {1, 0};
        visit(root, &leaves);
    }
    return 0;
}
