// Calls that are tasks in name only (`if` clause), as deep as a tree and never more than a few at a time.
#include "measure.h"

static long fib(int n) {
  long a, b;
  if (n < 2) {
    return n;
  }
#pragma omp task shared(a) if (0)
  a = fib(n - 1);
#pragma omp task shared(b) if (0)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static void calls(int count) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < count; i++) {
    fib(16);
  }
}

int main(void) {
  COMPARE_MEMORY(calls(30), calls(270));
  return 0;
}
