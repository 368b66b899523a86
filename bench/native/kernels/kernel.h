// What every kernel shares: its command line, reproducible random numbers, and the digest that stands
// for its result.
//
// Compiled without OpenMP a kernel is the plain sequential program, and prints the same line. With
// RACY defined it has its seeded defect; where a task of the seeded race touches what it shares, the
// line carries the comment `// racy`.

#ifndef KERNEL_H
#define KERNEL_H

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What tasks share. With ANNOTATE defined, Heddle is told to see that its locations are accessed atomically.
#ifdef ANNOTATE
#include <heddle.h>
#define SHARED(items, count) HEDDLE_ATOMIC_RANGE(items, count)
#else
#define SHARED(items, count) ((void)0)
#endif

// The size of the problem, the only argument.
static inline size_t size_argument(int count, char **words) {
  if (count != 2 || atol(words[1]) < 1) {
    fprintf(stderr, "usage: %s SIZE\n", words[0]);
    exit(2);
  }
  return (size_t)atol(words[1]);
}

// Memory for `count` items, all zero, for one task alone.
static inline void *own_room(size_t count, size_t item) {
  void *memory = calloc(count, item);
  if (memory == NULL) {
    fprintf(stderr, "no memory for %zu items of %zu bytes\n", count, item);
    exit(2);
  }
  return memory;
}

// The same, for several tasks.
static inline void *room(size_t count, size_t item) {
  uint8_t *memory = own_room(count, item);
  SHARED(memory, count * item);
  return memory;
}

// A generator after Marsaglia, Xorshift RNGs (2003), seeded through a mixing step.
typedef struct {
  uint64_t state;
} Random;

static inline Random random_of(uint64_t seed) {
  uint64_t mixed = (seed + 1) * 0x9E3779B97F4A7C15u;
  mixed ^= mixed >> 29;
  return (Random){mixed == 0 ? 1 : mixed};
}

static inline uint64_t random_bits(Random *random) {
  uint64_t x = random->state;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return random->state = x;
}

// From 0 to 1, 1 excluded.
static inline double random_unit(Random *random) {
  return (double)(random_bits(random) >> 11) / 9007199254740992.0;
}

// Normally distributed, after Box and Muller.
static inline double random_gaussian(Random *random) {
  double radius = sqrt(-2.0 * log(1.0 - random_unit(random)));
  return radius * cos(6.283185307179586 * random_unit(random));
}

// A number that differs if any bit of the result does: FNV-1a, a word at a time.
typedef struct {
  uint64_t hash;
} Digest;

static const Digest EMPTY_DIGEST = {0xCBF29CE484222325u};

static inline void digest_add(Digest *digest, uint64_t value) {
  digest->hash = (digest->hash ^ value) * 0x00000100000001B3u;
}

static inline void digest_bytes(Digest *digest, const uint8_t *values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    digest_add(digest, values[i]);
  }
}

static inline void digest_floats(Digest *digest, const double *values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    digest_add(digest, bits);
  }
}

// The kernel's one line of output.
static inline int print_digest(Digest digest) {
  printf("%016" PRIx64 "\n", digest.hash);
  return 0;
}

#endif
