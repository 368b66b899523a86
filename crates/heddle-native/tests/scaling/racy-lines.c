// Two tasks that go over the same elements in five lines each, one after the other first, then beside each other: elements
// of several lines share a granule, and lines of one granule are many steps.
#include "measure.h"

#define N 500000

static int clean[N + 5], racy[N + 5];

static void add(int *a, int value) {
  for (int i = 0; i < N; i += 5) {
    if (value < 0) break;
    a[i] += value;
    a[i + 1] += value;
    a[i + 2] += value;
    a[i + 3] += value;
    a[i + 4] += value;
  }
}

static void in_turn(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    add(clean, 1);
#pragma omp taskwait
#pragma omp task
    add(clean, 2);
  }
}

static void side_by_side(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    add(racy, 1);
#pragma omp task
    add(racy, 2);
  }
}

int main(void) {
  COMPARE_TIME(in_turn(), side_by_side());
  return 0;
}
