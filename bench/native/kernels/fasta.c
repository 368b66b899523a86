// Fasta: sequences of random letters with given frequencies, in lines.
//
// The generator is linear congruential, so its state after any number of draws can be computed
// directly: every iteration starts at its own place in the one sequence, and writes its own lines.
// Seeded defect: all iterations draw from one shared generator.

#include "kernel.h"

enum { LETTERS = 60, LINE = LETTERS + 1, LINES_PER_PART = 64, KINDS = 15 };
enum { MODULUS = 139968, FACTOR = 3877, TERM = 29573, FIRST = 42 };

static const char KIND[KINDS + 1] = "acgtBDHKMNRSVWY";
static const uint32_t SHARE[KINDS] = {27, 12, 12, 27, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};

// The map from x to factor * x + term, modulo MODULUS.
typedef struct {
  uint64_t factor, term;
} Affine;

static uint32_t apply(Affine map, uint64_t x) {
  return (uint32_t)((map.factor * x + map.term) % MODULUS);
}

static Affine then(Affine one, Affine next) {
  return (Affine){one.factor * next.factor % MODULUS,
                  (one.term * next.factor + next.term) % MODULUS};
}

// The state after this many draws, by repeated squaring.
static uint32_t state_after(size_t draws) {
  Affine whole = {1, 0}, square = {FACTOR, TERM};
  for (; draws > 0; draws /= 2) {
    if (draws % 2 == 1) {
      whole = then(whole, square);
    }
    square = then(square, square);
  }
  return apply(whole, FIRST);
}

static uint32_t draw(uint32_t *state) {
  uint32_t next = apply((Affine){FACTOR, TERM}, *state); // racy
  *state = next;                                         // racy
  return next;
}

// For each letter, the state from which on it is no longer chosen.
static void fill_limits(uint32_t *limits) {
  uint32_t sum = 0;
  for (int i = 0; i < KINDS; i++) {
    sum += SHARE[i];
    limits[i] = sum * MODULUS / 100;
  }
}

static char letter(const uint32_t *limits, uint32_t state) {
  int at = 0;
  while (at < KINDS - 1 && state >= limits[at]) {
    at++;
  }
  return KIND[at];
}

static void write_lines(char *to, size_t lines, const uint32_t *limits, uint32_t *state) {
  for (size_t line = 0; line < lines; line++, to += LINE) {
    for (int i = 0; i < LETTERS; i++) {
      to[i] = letter(limits, draw(state));
    }
    to[LETTERS] = '\n';
  }
}

static void generate(char *text, size_t lines, const uint32_t *limits) {
#ifdef RACY
  uint32_t state = FIRST;
#endif
#pragma omp parallel for schedule(static)
  for (size_t first = 0; first < lines; first += LINES_PER_PART) {
#ifndef RACY
    uint32_t state = state_after(LETTERS * first);
#endif
    size_t rest = lines - first;
    size_t part = rest < LINES_PER_PART ? rest : LINES_PER_PART;
    write_lines(&text[LINE * first], part, limits, &state);
  }
}

int main(int count, char **words) {
  size_t lines = size_argument(count, words);
  char *text = room(LINE * lines, 1);
  uint32_t *limits = room(KINDS, sizeof *limits);
  fill_limits(limits);
  generate(text, lines, limits);
  Digest digest = EMPTY_DIGEST;
  digest_bytes(&digest, (uint8_t *)text, LINE * lines);
  free(text), free(limits);
  return print_digest(digest);
}
