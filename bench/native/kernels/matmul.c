// Matmul: the product of two square matrices.
//
// Rows of the result are shared out.
// Seeded defect: the terms of the inner sum are shared out, and all add to the same result.

#include "kernel.h"

static void add_row(double *sum, const double *row, double factor, size_t n) {
  for (size_t j = 0; j < n; j++) {
    sum[j] += factor * row[j]; // racy
  }
}

#ifdef RACY
static void multiply(double *c, const double *a, const double *b, size_t n) {
#pragma omp parallel for schedule(static)
  for (size_t k = 0; k < n; k++) {
    for (size_t i = 0; i < n; i++) {
      add_row(&c[i * n], &b[k * n], a[i * n + k], n);
    }
  }
}
#else
static void multiply(double *c, const double *a, const double *b, size_t n) {
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < n; k++) {
      add_row(&c[i * n], &b[k * n], a[i * n + k], n);
    }
  }
}
#endif

static double *random_matrix(size_t n, uint64_t seed) {
  double *matrix = room(n * n, sizeof *matrix);
  Random random = random_of(seed);
  for (size_t i = 0; i < n * n; i++) {
    matrix[i] = random_unit(&random);
  }
  return matrix;
}

int main(int count, char **words) {
  size_t size = size_argument(count, words);
  double *a = random_matrix(size, 3), *b = random_matrix(size, 4);
  double *c = room(size * size, sizeof *c);
  multiply(c, a, b, size);
  Digest digest = EMPTY_DIGEST;
  digest_floats(&digest, c, size * size);
  free(a), free(b), free(c);
  return print_digest(digest);
}
