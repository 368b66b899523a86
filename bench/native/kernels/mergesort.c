// MergeSort: numbers sorted by halves, and the halves merged in parallel too.
//
// A merge of long runs splits the longer at its middle and the other where that value belongs.
// Seeded defect: the halves are merged before they are waited for.

#include "kernel.h"

enum { SORT_CUTOFF = 512, MERGE_CUTOFF = 2048 };

typedef struct {
  const int64_t *at;
  size_t len;
} Run;

static void insert_sorted(int64_t *values, size_t len) {
  for (size_t i = 1; i < len; i++) {
    int64_t value = values[i];
    size_t to = i;
    for (; to > 0 && values[to - 1] > value; to--) {
      values[to] = values[to - 1];
    }
    values[to] = value;
  }
}

static void merge_serial(Run a, Run b, int64_t *to) {
  size_t i = 0, j = 0;
  while (i < a.len && j < b.len) {
    *to++ = a.at[i] <= b.at[j] ? a.at[i++] : b.at[j++]; // racy
  }
  while (i < a.len) {
    *to++ = a.at[i++]; // racy
  }
  while (j < b.len) {
    *to++ = b.at[j++]; // racy
  }
}

// How many values of the run come before `value`.
static size_t before(Run run, int64_t value) {
  size_t low = 0, high = run.len;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (run.at[middle] < value) { // racy
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static void merge(Run a, Run b, int64_t *to) {
  if (a.len < b.len) {
    Run longer = b;
    b = a, a = longer;
  }
  if (a.len + b.len <= MERGE_CUTOFF) {
    merge_serial(a, b, to);
    return;
  }
  size_t i = a.len / 2, j = before(b, a.at[i]); // racy
#pragma omp task
  merge((Run){a.at, i}, (Run){b.at, j}, to);
#pragma omp task
  merge((Run){a.at + i, a.len - i}, (Run){b.at + j, b.len - j}, to + i + j);
#pragma omp taskwait
}

// Small runs: merged by hand, without tasks.
static void sort_serial(int64_t *values, int64_t *other, size_t len) {
  if (len <= 16) {
    insert_sorted(values, len);
    return;
  }
  size_t half = len / 2;
  sort_serial(values, other, half);
  sort_serial(values + half, other + half, len - half);
  merge_serial((Run){values, half}, (Run){values + half, len - half}, other);
  memcpy(values, other, len * sizeof *values); // racy
}

static void copy(int64_t *to, const int64_t *from, size_t len) {
  memcpy(to, from, len * sizeof *to); // racy
}

static void sort(int64_t *values, int64_t *other, size_t len) {
  size_t half = len / 2;
  if (len <= SORT_CUTOFF) {
    sort_serial(values, other, len);
    return;
  }
#pragma omp task
  sort(values, other, half);
#pragma omp task
  sort(values + half, other + half, len - half);
#ifndef RACY
#pragma omp taskwait
#endif
  merge((Run){values, half}, (Run){values + half, len - half}, other);
#ifdef RACY
#pragma omp taskwait
#endif
  copy(values, other, len);
}

int main(int count, char **words) {
  size_t size = size_argument(count, words);
  int64_t *values = room(size, sizeof *values), *other = room(size, sizeof *other);
  Random random = random_of(31);
  for (size_t i = 0; i < size; i++) {
    values[i] = (int64_t)(random_bits(&random) >> 1);
  }
#pragma omp parallel
#pragma omp single
  sort(values, other, size);
  Digest digest = EMPTY_DIGEST;
  for (size_t i = 0; i < size; i++) {
    digest_add(&digest, (uint64_t)values[i]);
  }
  free(values), free(other);
  return print_digest(digest);
}
