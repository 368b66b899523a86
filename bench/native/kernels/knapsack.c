// Knapsack: the greatest value of things that fit into a bag together.
//
// Branch and bound: for each thing a task that takes it and one that leaves it. What cannot become
// better than the best bag known is given up; all tasks compare with that number, which is atomic.
// Seeded defect: the number is an ordinary one.

#include "kernel.h"

enum { MOST = 64, SERIAL = 6 };

typedef struct {
  int64_t weight, value;
} Thing;

static Thing things[MOST];
static int thing_count;
static int64_t best;

static int64_t best_known(void) {
#ifdef RACY
  return best; // racy
#else
  return __atomic_load_n(&best, __ATOMIC_RELAXED);
#endif
}

static void improve(int64_t value) {
#ifdef RACY
  if (value > best) { // racy
    best = value; // racy
  }
#else
  int64_t known = best_known();
  while (value > known && !__atomic_compare_exchange_n(&best, &known, value, 1, __ATOMIC_RELAXED,
                                                       __ATOMIC_RELAXED)) {
  }
#endif
}

// What could be reached with parts of things: those left are sorted by value per weight.
static int64_t bound(int next, int64_t space, int64_t value) {
  for (; next < thing_count && things[next].weight <= space; next++) {
    space -= things[next].weight;
    value += things[next].value;
  }
  return next == thing_count ? value : value + space * things[next].value / things[next].weight;
}

static void pack(int next, int64_t space, int64_t value) {
  if (space < 0) {
    return;
  }
  improve(value);
  if (next == thing_count || bound(next, space, value) <= best_known()) {
    return;
  }
  Thing thing = things[next];
  if (thing_count - next <= SERIAL) {
    pack(next + 1, space - thing.weight, value + thing.value);
    pack(next + 1, space, value);
    return;
  }
#pragma omp task
  pack(next + 1, space - thing.weight, value + thing.value);
#pragma omp task
  pack(next + 1, space, value);
#pragma omp taskwait
}

static int by_density(const void *left, const void *right) {
  const Thing *a = left, *b = right;
  int64_t difference = b->value * a->weight - a->value * b->weight;
  return difference > 0 ? 1 : difference < 0 ? -1 : 0;
}

int main(int count, char **words) {
  size_t size = size_argument(count, words);
  if (size > MOST) {
    return 2;
  }
  Random random = random_of(53);
  int64_t space = 0;
  thing_count = (int)size;
  for (int i = 0; i < thing_count; i++) {
    // Value follows weight closely, which makes bounds weak.
    things[i].weight = 1000 + (int64_t)(random_bits(&random) % 1000);
    things[i].value = things[i].weight + 100 + (int64_t)(random_bits(&random) % 20);
    space += things[i].weight;
  }
  space /= 2;
  qsort(things, size, sizeof *things, by_density);
#pragma omp parallel
#pragma omp single
  pack(0, space, 0);
  Digest digest = EMPTY_DIGEST;
  digest_add(&digest, (uint64_t)best);
  return print_digest(digest);
}
