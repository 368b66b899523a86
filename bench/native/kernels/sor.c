// SOR: successive over-relaxation of a grid.
//
// Rows are relaxed in two colours: first the odd ones, which read the even ones above and below, then
// the even ones. Within a colour the rows are shared out; between the colours there is a barrier.
// Seeded defect: no barrier between the colours.

#include "kernel.h"

#ifdef RACY
#define ROWS _Pragma("omp for schedule(static) nowait")
#else
#define ROWS _Pragma("omp for schedule(static)")
#endif

enum { SWEEPS = 60 };
static const double OMEGA = 1.25;

static void relax(double *row, const double *above, const double *below, size_t n) {
  for (size_t j = 1; j + 1 < n; j++) {
    double beside = above[j] + below[j] + row[j - 1] + row[j + 1]; // racy
    row[j] = OMEGA / 4.0 * beside + (1.0 - OMEGA) * row[j];        // racy
  }
}

static void sweep(double *grid, size_t n) {
  for (size_t first = 1; first <= 2; first++) {
    ROWS
    for (size_t i = first; i < n - 1; i += 2) {
      double *row = &grid[i * n];
      relax(row, row - n, row + n, n);
    }
  }
}

int main(int count, char **words) {
  size_t size = size_argument(count, words);
  double *grid = room(size * size, sizeof *grid);
  Random random = random_of(19);
  for (size_t i = 0; i < size * size; i++) {
    grid[i] = random_unit(&random);
  }
#pragma omp parallel
  for (int i = 0; i < SWEEPS; i++) {
    sweep(grid, size);
  }
  Digest digest = EMPTY_DIGEST;
  digest_floats(&digest, grid, size * size);
  free(grid);
  return print_digest(digest);
}
