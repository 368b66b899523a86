// Parallel tasks that all read and write one location, half of them of a task tree.
#include "measure.h"

static int few, many;

static void grow(int *x, int tasks) {
  *x += tasks;
  if (tasks > 1) {
#pragma omp task
    grow(x, tasks / 2);
#pragma omp task
    grow(x, tasks - tasks / 2);
  }
}

static void race(int *x, int tasks) {
#pragma omp parallel num_threads(2)
#pragma omp single
  grow(x, tasks / 2);
}

int main(void) {
  COMPARE_TIME(race(&few, 20000), race(&many, 100000));
  return 0;
}
