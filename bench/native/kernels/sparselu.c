// SparseLU: the LU factorisation of a matrix of blocks, most of which are empty.
//
// One task per block operation; `depend` clauses say which blocks it reads and changes, and nothing
// else keeps the tasks apart.
// Seeded defect: the update of a block does not name the block above it that it reads.

#include "kernel.h"

enum { SIDE = 24 };

#ifdef RACY
#define UPDATE _Pragma("omp task depend(in : left[0]) depend(inout : target[0])")
#else
#define UPDATE _Pragma("omp task depend(in : left[0], above[0]) depend(inout : target[0])")
#endif

static void factor(double *diagonal) {
  for (int k = 0; k < SIDE; k++) {
    for (int i = k + 1; i < SIDE; i++) {
      diagonal[i * SIDE + k] /= diagonal[k * SIDE + k];
      for (int j = k + 1; j < SIDE; j++) {
        diagonal[i * SIDE + j] -= diagonal[i * SIDE + k] * diagonal[k * SIDE + j];
      }
    }
  }
}

// A block to the right of the diagonal.
static void solve_right(const double *diagonal, double *block) {
  for (int k = 0; k < SIDE; k++) {
    for (int i = k + 1; i < SIDE; i++) {
      for (int j = 0; j < SIDE; j++) {
        block[i * SIDE + j] -= diagonal[i * SIDE + k] * block[k * SIDE + j]; // racy
      }
    }
  }
}

// A block below the diagonal.
static void solve_below(const double *diagonal, double *block) {
  for (int i = 0; i < SIDE; i++) {
    for (int k = 0; k < SIDE; k++) {
      block[i * SIDE + k] /= diagonal[k * SIDE + k];
      for (int j = k + 1; j < SIDE; j++) {
        block[i * SIDE + j] -= block[i * SIDE + k] * diagonal[k * SIDE + j];
      }
    }
  }
}

static void update(const double *left, const double *above, double *target) {
  for (int i = 0; i < SIDE; i++) {
    for (int k = 0; k < SIDE; k++) {
      for (int j = 0; j < SIDE; j++) {
        target[i * SIDE + j] -= left[i * SIDE + k] * above[k * SIDE + j]; // racy
      }
    }
  }
}

static double *block_of(uint64_t seed) {
  double *block = room(SIDE * SIDE, sizeof *block);
  Random random = random_of(seed);
  for (int i = 0; i < SIDE * SIDE; i++) {
    // Heavy diagonals: no pivots are needed.
    block[i] = random_unit(&random) + (i % (SIDE + 1) == 0 ? 4.0 * SIDE : 0.0);
  }
  return block;
}

static void eliminate(double **blocks, size_t n, size_t k) {
  for (size_t i = k + 1; i < n; i++) {
    for (size_t j = k + 1; blocks[i * n + k] != NULL && j < n; j++) {
      double *left = blocks[i * n + k], *above = blocks[k * n + j];
      if (above == NULL) {
        continue;
      }
      if (blocks[i * n + j] == NULL) {
        blocks[i * n + j] = room(SIDE * SIDE, sizeof(double));
      }
      double *target = blocks[i * n + j];
      UPDATE
      update(left, above, target);
    }
  }
}

static void factor_all(double **blocks, size_t n) {
  for (size_t k = 0; k < n; k++) {
    double *diagonal = blocks[k * n + k];
#pragma omp task depend(inout : diagonal[0])
    factor(diagonal);
    for (size_t i = k + 1; i < n; i++) {
      double *right = blocks[k * n + i], *below = blocks[i * n + k];
      if (right != NULL) {
#pragma omp task depend(in : diagonal[0]) depend(inout : right[0])
        solve_right(diagonal, right);
      }
      if (below != NULL) {
#pragma omp task depend(in : diagonal[0]) depend(inout : below[0])
        solve_below(diagonal, below);
      }
    }
    eliminate(blocks, n, k);
  }
}

int main(int count, char **words) {
  size_t size = size_argument(count, words);
  double **blocks = room(size * size, sizeof *blocks);
  Random random = random_of(29);
  for (size_t i = 0; i < size * size; i++) {
    int filled = i % (size + 1) == 0 || random_bits(&random) % 4 == 0;
    blocks[i] = filled ? block_of(i) : NULL;
  }
#pragma omp parallel
#pragma omp single
  factor_all(blocks, size);
  Digest digest = EMPTY_DIGEST;
  for (size_t i = 0; i < size * size; i++) {
    if (blocks[i] != NULL) {
      digest_floats(&digest, blocks[i], SIDE * SIDE);
    }
    free(blocks[i]);
  }
  free(blocks);
  return print_digest(digest);
}
