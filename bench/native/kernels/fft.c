// FFT: the discrete Fourier transform of a row of complex numbers, by halves.
//
// The even and the odd elements, found by strides, are transformed by a task each; then tasks join
// pieces of the two halves, also far apart, with factors from a table.
// Seeded defect: the halves are joined before they are waited for.

#include "kernel.h"

enum { TRANSFORM_CUTOFF = 32, JOIN_CUTOFF = 128 };

typedef struct {
  double re, im;
} Complex;

static const Complex *factors;
static size_t factor_count;

// Element k of both halves, which are `half` apart.
static void join_one(Complex *to, size_t half, size_t k) {
  Complex factor = factors[k * (factor_count / half)];
  Complex a = to[k], b = to[k + half]; // racy
  Complex turned = {b.re * factor.re - b.im * factor.im, b.re * factor.im + b.im * factor.re};
  to[k] = (Complex){a.re + turned.re, a.im + turned.im}; // racy
  to[k + half] = (Complex){a.re - turned.re, a.im - turned.im}; // racy
}

static void join(Complex *to, size_t half, size_t from, size_t end) {
  if (end - from > JOIN_CUTOFF) {
    size_t middle = from + (end - from) / 2;
#pragma omp task
    join(to, half, from, middle);
#pragma omp task
    join(to, half, middle, end);
#pragma omp taskwait
    return;
  }
  for (size_t k = from; k < end; k++) {
    join_one(to, half, k);
  }
}

static void transform_serial(const Complex *from, size_t stride, Complex *to, size_t len) {
  if (len == 1) {
    to[0] = from[0]; // racy
    return;
  }
  size_t half = len / 2;
  transform_serial(from, stride * 2, to, half);
  transform_serial(from + stride, stride * 2, to + half, half);
  for (size_t k = 0; k < half; k++) {
    join_one(to, half, k);
  }
}

static void transform(const Complex *from, size_t stride, Complex *to, size_t len) {
  size_t half = len / 2;
  if (len <= TRANSFORM_CUTOFF) {
    transform_serial(from, stride, to, len);
    return;
  }
#pragma omp task
  transform(from, stride * 2, to, half);
#pragma omp task
  transform(from + stride, stride * 2, to + half, half);
#ifndef RACY
#pragma omp taskwait
#endif
  join(to, half, 0, half);
#ifdef RACY
#pragma omp taskwait
#endif
}

static Complex *table(size_t len) {
  Complex *table = room(len, sizeof *table);
  for (size_t k = 0; k < len; k++) {
    double angle = -3.141592653589793 * (double)k / (double)len;
    table[k] = (Complex){cos(angle), sin(angle)};
  }
  return table;
}

int main(int count, char **words) {
  size_t size = 2, wanted = size_argument(count, words);
  while (size * 2 <= wanted) {
    size *= 2;
  }
  Complex *from = room(size, sizeof *from), *to = room(size, sizeof *to);
  Complex *of_circle = table(size / 2);
  factors = of_circle, factor_count = size / 2;
  Random random = random_of(43);
  for (size_t i = 0; i < size; i++) {
    from[i] = (Complex){random_unit(&random), random_unit(&random)};
  }
#pragma omp parallel
#pragma omp single
  transform(from, 1, to, size);
  Digest digest = EMPTY_DIGEST;
  digest_floats(&digest, &to[0].re, size * 2);
  free(from), free(to), free(of_circle);
  return print_digest(digest);
}
