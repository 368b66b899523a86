// Fib: Fibonacci numbers by their definition.
//
// Two tasks per call down to a cut-off; below it, plain calls.
// Seeded defect: the sum is taken before the tasks are waited for.

#include "kernel.h"

enum { CUTOFF = 14 };

static uint64_t serial(uint64_t n) { return n < 2 ? n : serial(n - 1) + serial(n - 2); }

static uint64_t fib(uint64_t n) {
  uint64_t a = 0, b = 0, sum;
  if (n < CUTOFF) {
    return serial(n);
  }
#pragma omp task shared(a)
  a = fib(n - 1); // racy
#pragma omp task shared(b)
  b = fib(n - 2); // racy
#ifdef RACY
  sum = a + b; // racy
#pragma omp taskwait
#else
#pragma omp taskwait
  sum = a + b;
#endif
  return sum;
}

int main(int count, char **words) {
  size_t size = size_argument(count, words);
  uint64_t number = 0;
#pragma omp parallel
#pragma omp single
  number = fib(size);
  Digest digest = EMPTY_DIGEST;
  digest_add(&digest, number);
  return print_digest(digest);
}
