// Series: the first Fourier coefficients of (x+1)^x over the interval from 0 to 2.
//
// One iteration per pair of coefficients, handed out a few at a time; each integrates by the
// trapezoid rule in local variables and writes its pair once.
// Seeded defect: the running sum of the integration is one shared variable.

#include "kernel.h"

enum { STEPS = 1000 };
static const double WIDTH = 2.0 / STEPS;
static const double PI = 3.141592653589793;

static double term(size_t step, size_t n, double (*wave)(double)) {
  double x = (double)step * WIDTH;
  double weight = step == 0 || step == STEPS ? 0.5 : 1.0;
  return weight * pow(x + 1.0, x) * wave(PI * (double)n * x);
}

#ifdef RACY
// Not static: the compiler would see that it is private to one call after another.
double sum;

static double integrate(size_t n, double (*wave)(double)) {
  sum = 0.0; // racy
  for (size_t step = 0; step <= STEPS; step++) {
    sum += term(step, n, wave); // racy
  }
  return sum * WIDTH; // racy
}
#else
static double integrate(size_t n, double (*wave)(double)) {
  double sum = 0.0;
  for (size_t step = 0; step <= STEPS; step++) {
    sum += term(step, n, wave);
  }
  return sum * WIDTH;
}
#endif

static void coefficients(double *pairs, size_t count) {
#pragma omp parallel for schedule(dynamic, 4)
  for (size_t n = 0; n < count; n++) {
    double scale = n == 0 ? 0.5 : 1.0;
    pairs[2 * n] = scale * integrate(n, cos);
    pairs[2 * n + 1] = scale * integrate(n, sin);
  }
}

int main(int count, char **words) {
  size_t size = size_argument(count, words);
  double *pairs = room(2 * size, sizeof *pairs);
  coefficients(pairs, size);
  Digest digest = EMPTY_DIGEST;
  digest_floats(&digest, pairs, 2 * size);
  free(pairs);
  return print_digest(digest);
}
