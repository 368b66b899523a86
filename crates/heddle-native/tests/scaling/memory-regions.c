// Parallel regions without end: what is over is forgotten.
#include "measure.h"

static int a[64];

static void regions(int count) {
  for (int r = 0; r < count; r++) {
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 64; i++) {
      a[i] += i;
    }
  }
}

int main(void) {
  COMPARE_MEMORY(regions(4000), regions(36000));
  return 0;
}
