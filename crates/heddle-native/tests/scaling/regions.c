// Parallel loops over one array, one after the other: the first thousand and the eighth, each as ten times the fastest
// of ten parts. Where the machine is busy, a part may have to wait for a thread that was put aside.
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

static double thousand(void) {
  double fastest = 0;
  for (int part = 0; part < 10; part++) {
    double start = seconds();
    regions(100);
    double took = seconds() - start;
    fastest = part == 0 || took < fastest ? took : fastest;
  }
  return 10 * fastest;
}

int main(void) {
  double first = thousand();
  regions(6000);
  printf("%f %f\n", first, thousand());
  return 0;
}
