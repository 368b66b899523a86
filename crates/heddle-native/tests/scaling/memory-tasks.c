// Tasks without end, never more than a hundred at a time: those that are joined are forgotten.
#include "measure.h"

static int shared = 1, own[100];

static void rounds(int count) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int r = 0; r < count; r++) {
    for (int i = 0; i < 100; i++) {
#pragma omp task firstprivate(i)
      own[i] += shared;
    }
#pragma omp taskwait
  }
}

int main(void) {
  COMPARE_MEMORY(rounds(1000), rounds(9000));
  return 0;
}
