// Two threads that take one lock again and again: what was done under it before is forgotten.
#include "measure.h"

static long count;

static void turns(int turns) {
#pragma omp parallel num_threads(2)
  for (int i = 0; i < turns; i++) {
#pragma omp critical
    count++;
  }
}

int main(void) {
  COMPARE_MEMORY(turns(50000), turns(450000));
  return 0;
}
