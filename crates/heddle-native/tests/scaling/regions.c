// Parallel loops over one array, one after the other: the first thousand and the eighth.
#include "measure.h"

static TYPE a[64];

static void regions(int count) {
  for (int r = 0; r < count; r++) {
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 64; i++) {
      a[i] += (TYPE)i;
    }
  }
}

int main(void) {
  double start = seconds();
  regions(1000);
  double first = seconds() - start;
  regions(6000);
  start = seconds();
  regions(1000);
  printf("%f %f\n", first, seconds() - start);
  return 0;
}
