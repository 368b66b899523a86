// Fannkuch: how many prefix reversals bring the first element of a permutation to 1, at most, over
// all permutations.
//
// Permutations are numbered in the factorial number system; one task per run of numbers. A task
// permutes in local memory and writes its maximum and its checksum once.
// Seeded defect: the greatest number of flips is one shared variable.

#include "kernel.h"

enum { TASKS = 120, MOST = 16 };

typedef struct {
  int64_t flips, checksum;
} Answer;

// A permutation and its number, digit by digit: digit `i` says how often the first `i + 1` elements
// have been rotated.
typedef struct {
  uint8_t elements[MOST], rotations[MOST];
} Permutation;

static uint64_t factorial(size_t n) { return n < 2 ? 1 : n * factorial(n - 1); }

static void rotate(uint8_t *elements, size_t last) {
  uint8_t first = elements[0];
  for (size_t i = 0; i < last; i++) {
    elements[i] = elements[i + 1];
  }
  elements[last] = first;
}

static void begin_at(Permutation *p, size_t size, uint64_t number) {
  for (size_t i = 0; i < size; i++) {
    p->elements[i] = (uint8_t)i;
    p->rotations[i] = 0;
  }
  for (size_t digit = size - 1; digit > 0; digit--) {
    p->rotations[digit] = (uint8_t)(number / factorial(digit));
    number %= factorial(digit);
    for (int i = 0; i < p->rotations[digit]; i++) {
      rotate(p->elements, digit);
    }
  }
}

static void advance(Permutation *p, size_t size) {
  for (size_t digit = 1; digit < size; digit++) {
    rotate(p->elements, digit);
    if (++p->rotations[digit] <= digit) {
      return;
    }
    p->rotations[digit] = 0;
  }
}

static void reverse(uint8_t *pile, size_t first, size_t last) {
  for (; first < last; first++, last--) {
    uint8_t element = pile[first];
    pile[first] = pile[last];
    pile[last] = element;
  }
}

static int64_t flips(const uint8_t *elements, size_t size) {
  uint8_t pile[MOST];
  int64_t count = 0;
  for (size_t i = 0; i < size; i++) {
    pile[i] = elements[i];
  }
  for (; pile[0] != 0; count++) {
    reverse(pile, 0, pile[0]);
  }
  return count;
}

static Answer search(size_t size, uint64_t first, uint64_t end) {
  Permutation p;
  Answer answer = {0, 0};
  begin_at(&p, size, first);
  for (uint64_t number = first; number < end; number++) {
    int64_t count = flips(p.elements, size);
    answer.flips = count > answer.flips ? count : answer.flips;
    answer.checksum += number % 2 == 0 ? count : -count;
    advance(&p, size);
  }
  return answer;
}

#ifdef RACY
// Not static: the compiler could see that nobody else reads it.
int64_t most;

static Answer noted(Answer answer) {
  if (answer.flips > most) { // racy
    most = answer.flips;     // racy
  }
  return answer;
}
#else
static Answer noted(Answer answer) { return answer; }
#endif

static void search_all(Answer *answers, size_t size) {
  uint64_t numbers = factorial(size);
#pragma omp parallel
#pragma omp single
  for (uint64_t task = 0; task < TASKS; task++) {
#pragma omp task
    answers[task] = noted(search(size, numbers * task / TASKS, numbers * (task + 1) / TASKS));
  }
}

int main(int count, char **words) {
  size_t size = size_argument(count, words);
  if (size > MOST) {
    return 2;
  }
  Answer answers[TASKS], whole = {0, 0};
  SHARED(answers, TASKS);
  search_all(answers, size);
  for (int task = 0; task < TASKS; task++) {
    whole.flips = answers[task].flips > whole.flips ? answers[task].flips : whole.flips;
    whole.checksum += answers[task].checksum;
  }
  Digest digest = EMPTY_DIGEST;
  digest_add(&digest, (uint64_t)whole.flips);
  digest_add(&digest, (uint64_t)whole.checksum);
  return print_digest(digest);
}
