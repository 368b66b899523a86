// LUFact: the LU factorisation of a dense matrix with partial pivoting.
//
// One team does all columns: a single thread looks for the pivot and exchanges rows, then all of them
// eliminate the rows below.
// Seeded defect: no barrier after the elimination, so the next column is begun too early.

#include "kernel.h"

#ifdef RACY
#define ELIMINATION _Pragma("omp for schedule(static) nowait")
#else
#define ELIMINATION _Pragma("omp for schedule(static)")
#endif

static size_t pivot(const double *a, size_t n, size_t k) {
  size_t best = k;
  for (size_t i = k + 1; i < n; i++) {
    if (fabs(a[i * n + k]) > fabs(a[best * n + k])) { // racy
      best = i;
    }
  }
  return best;
}

static void exchange(double *a, size_t n, size_t one, size_t other) {
  for (size_t j = 0; j < n; j++) {
    double value = a[one * n + j];      // racy
    a[one * n + j] = a[other * n + j];  // racy
    a[other * n + j] = value;           // racy
  }
}

static void eliminate(double *row, const double *top, size_t k, size_t n) {
  double factor = row[k] / top[k]; // racy
  row[k] = factor;                 // racy
  for (size_t j = k + 1; j < n; j++) {
    row[j] -= factor * top[j]; // racy
  }
}

static void factor(double *a, size_t n) {
#pragma omp parallel
  for (size_t k = 0; k < n; k++) {
#pragma omp single
    exchange(a, n, k, pivot(a, n, k));
    ELIMINATION
    for (size_t i = k + 1; i < n; i++) {
      eliminate(&a[i * n], &a[k * n], k, n);
    }
  }
}

int main(int count, char **words) {
  size_t size = size_argument(count, words);
  double *matrix = room(size * size, sizeof *matrix);
  Random random = random_of(23);
  for (size_t i = 0; i < size * size; i++) {
    matrix[i] = random_unit(&random) - 0.5;
  }
  factor(matrix, size);
  Digest digest = EMPTY_DIGEST;
  digest_floats(&digest, matrix, size * size);
  free(matrix);
  return print_digest(digest);
}
