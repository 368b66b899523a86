// Sparse: a sparse matrix times a dense vector, over and over.
//
// The matrix is a list of (row, column, value), sorted by row. The list is cut where a row begins, so
// that each row of the result belongs to one part.
// Seeded defect: the list is cut into equal parts, also in the middle of a row.

#include "kernel.h"

enum { PARTS = 8, ENTRIES_PER_ROW = 5, REPETITIONS = 200 };

typedef struct {
  size_t entries;
  uint32_t *rows, *columns;
  double *values, *vector;
} Input;

static int ascending(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static Input input_of(size_t size) {
  size_t entries = ENTRIES_PER_ROW * size;
  Input in = {entries, room(entries, 4), room(entries, 4), room(entries, 8), room(size, 8)};
  Random random = random_of(11);
  for (size_t i = 0; i < entries; i++) {
    in.rows[i] = (uint32_t)(random_bits(&random) % size);
    in.columns[i] = (uint32_t)(random_bits(&random) % size);
    in.values[i] = random_unit(&random);
  }
  qsort(in.rows, entries, sizeof *in.rows, ascending);
  for (size_t i = 0; i < size; i++) {
    in.vector[i] = random_unit(&random);
  }
  return in;
}

// Where a part begins.
static size_t cut(const Input *in, size_t part) {
  size_t at = in->entries * part / PARTS;
#ifndef RACY
  while (at > 0 && at < in->entries && in->rows[at] == in->rows[at - 1]) {
    at++;
  }
#endif
  return at;
}

static void multiply(const Input *in, double *result, size_t first, size_t end) {
  for (size_t at = first; at < end; at++) {
    result[in->rows[at]] += in->vector[in->columns[at]] * in->values[at]; // racy
  }
}

int main(int count, char **words) {
  size_t size = size_argument(count, words);
  Input in = input_of(size);
  double *result = room(size, sizeof *result);
#pragma omp parallel for schedule(static, 1)
  for (size_t part = 0; part < PARTS; part++) {
    for (int i = 0; i < REPETITIONS; i++) {
      multiply(&in, result, cut(&in, part), cut(&in, part + 1));
    }
  }
  Digest digest = EMPTY_DIGEST;
  digest_floats(&digest, result, size);
  free(in.rows), free(in.columns), free(in.values), free(in.vector), free(result);
  return print_digest(digest);
}
