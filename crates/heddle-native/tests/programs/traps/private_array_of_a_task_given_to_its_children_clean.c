// expect: clean
// flags: -fopenmp
// compilers: clang,gcc
// threads: 1,2,4
// A task fills its private array, which only it knows of then, gives it to a child, and writes when the child is done.
#include <string.h>

enum { SIZE = 1024, TASKS = 50 };

static char start[SIZE];
static int sums[TASKS];

int main(void) {
    char board[SIZE];
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < TASKS; i++) {
#pragma omp task private(board) firstprivate(i)
        {
            memcpy(board, start, sizeof board);
            board[i] = 1;
            char *shown = board;
            int *sum = &sums[i];
#pragma omp task firstprivate(shown, sum, i)
            shown[2 * i + 1] += *sum + shown[i];
#pragma omp taskwait
            board[2 * i + 1] = 2;
        }
    }
    return 0;
}
