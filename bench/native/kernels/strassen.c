// Strassen: the product of two square matrices with seven products of their quarters.
//
// After Strassen, Gaussian Elimination is not Optimal (1969). One task per product, each with its own
// temporary matrices; the size is rounded up to the cut-off times a power of two.
// Seeded defect: the products are added up before they are waited for.

#include "kernel.h"

enum { CUTOFF = 64, PRODUCTS = 7 };

// A square part of a matrix; rows are `stride` apart.
typedef struct {
  double *at;
  size_t stride;
} Part;

static Part quarter(Part whole, size_t half, size_t row, size_t column) {
  return (Part){whole.at + row * half * whole.stride + column * half, whole.stride};
}

// to = a + sign * b.
static void combine(Part to, Part a, Part b, double sign, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const double *left = a.at + i * a.stride, *right = b.at + i * b.stride;
    double *sum = to.at + i * to.stride;
    for (size_t j = 0; j < n; j++) {
      sum[j] = left[j] + sign * right[j]; // racy
    }
  }
}

static void multiply_plainly(Part c, Part a, Part b, size_t n) {
  for (size_t i = 0; i < n; i++) {
    double *sum = c.at + i * c.stride;
    memset(sum, 0, n * sizeof *sum); // racy
    for (size_t k = 0; k < n; k++) {
      double factor = a.at[i * a.stride + k];
      const double *row = b.at + k * b.stride;
      for (size_t j = 0; j < n; j++) {
        sum[j] += factor * row[j]; // racy
      }
    }
  }
}

static void multiply(Part c, Part a, Part b, size_t n);

// Which quarters are combined for each product: first + sign * second, or first alone if sign is 0.
typedef struct {
  int first, second, sign;
} Choice;

static const Choice LEFT[PRODUCTS] = {{0, 3, 1}, {2, 3, 1},  {0, 0, 0}, {3, 3, 0},
                                      {0, 1, 1}, {2, 0, -1}, {1, 3, -1}};
static const Choice RIGHT[PRODUCTS] = {{0, 3, 1}, {0, 0, 0}, {1, 3, -1}, {2, 0, -1},
                                       {3, 3, 0}, {0, 1, 1}, {2, 3, 1}};

// The chosen operand; a sum is put into `memory`.
static Part operand(Part whole, Choice choice, Part memory, size_t half) {
  Part first = quarter(whole, half, choice.first / 2, choice.first % 2);
  if (choice.sign == 0) {
    return first;
  }
  Part second = quarter(whole, half, choice.second / 2, choice.second % 2);
  combine(memory, first, second, choice.sign, half);
  return memory;
}

static void product(Part to, Part a, Part b, size_t half, int which) {
  double *memory = room(2 * half * half, sizeof *memory);
  Part left = {memory, half}, right = {memory + half * half, half};
  multiply(to, operand(a, LEFT[which], left, half), operand(b, RIGHT[which], right, half), half);
  free(memory);
}

static void add_up(Part c, const Part *m, size_t half) {
  Part c00 = quarter(c, half, 0, 0), c01 = quarter(c, half, 0, 1);
  Part c10 = quarter(c, half, 1, 0), c11 = quarter(c, half, 1, 1);
  combine(c00, m[0], m[3], 1.0, half);
  combine(c00, c00, m[4], -1.0, half);
  combine(c00, c00, m[6], 1.0, half);
  combine(c01, m[2], m[4], 1.0, half);
  combine(c10, m[1], m[3], 1.0, half);
  combine(c11, m[0], m[1], -1.0, half);
  combine(c11, c11, m[2], 1.0, half);
  combine(c11, c11, m[5], 1.0, half);
}

static void multiply(Part c, Part a, Part b, size_t n) {
  if (n <= CUTOFF) {
    multiply_plainly(c, a, b, n);
    return;
  }
  size_t half = n / 2;
  double *memory = room(PRODUCTS * half * half, sizeof *memory);
  Part products[PRODUCTS];
  for (int i = 0; i < PRODUCTS; i++) {
    Part to = {memory + (size_t)i * half * half, half};
    products[i] = to;
#pragma omp task
    product(to, a, b, half, i);
  }
#ifndef RACY
#pragma omp taskwait
#endif
  add_up(c, products, half);
#ifdef RACY
#pragma omp taskwait
#endif
  free(memory);
}

static Part random_matrix(size_t n, uint64_t seed) {
  double *matrix = room(n * n, sizeof *matrix);
  Random random = random_of(seed);
  for (size_t i = 0; i < n * n; i++) {
    matrix[i] = random_unit(&random);
  }
  return (Part){matrix, n};
}

int main(int count, char **words) {
  size_t wanted = size_argument(count, words), size = CUTOFF;
  while (size < wanted) {
    size *= 2;
  }
  Part a = random_matrix(size, 3), b = random_matrix(size, 4);
  Part c = {room(size * size, sizeof(double)), size};
#pragma omp parallel
#pragma omp single
  multiply(c, a, b, size);
  Digest digest = EMPTY_DIGEST;
  digest_floats(&digest, c.at, size * size);
  free(a.at), free(b.at), free(c.at);
  return print_digest(digest);
}
