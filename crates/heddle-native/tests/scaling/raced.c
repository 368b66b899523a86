// Parallel tasks that all write one location: the fifth part of the work first, elsewhere.
#include "measure.h"

static int few, many;

static void race(int *x, int tasks) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < tasks; i++) {
#pragma omp task firstprivate(i)
    *x = i;
  }
}

int main(void) {
  COMPARE_TIME(race(&few, 20000), race(&many, 100000));
  return 0;
}
