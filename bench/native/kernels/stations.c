// Stations: travellers that wait in lists and move on, step by step.
//
// The stations form a tree. In each step a task per station walks its list: some travellers stay,
// some leave, the others go to the next station towards the root, into a list of arrivals that all
// stations below it share under one lock. A traveller's fate depends on its own random numbers
// alone, so the order of arrival does not matter.
// Seeded defect: arrivals are put into the list without its lock.

#include "kernel.h"

#if defined(_OPENMP) && !defined(RACY)
#include <omp.h>
#define LOCK omp_lock_t
#define LOCK_INIT(lock) omp_init_lock(lock)
#define LOCK_DESTROY(lock) omp_destroy_lock(lock)
#define LOCK_TAKE(lock) omp_set_lock(lock)
#define LOCK_GIVE(lock) omp_unset_lock(lock)
#else
#define LOCK int
#define LOCK_INIT(lock) (*(lock) = 0)
#define LOCK_DESTROY(lock) ((void)(lock))
#define LOCK_TAKE(lock) ((void)(lock))
#define LOCK_GIVE(lock) ((void)(lock))
#endif

enum { LEVELS = 5, BELOW = 4, TRAVELLERS = 6 };

typedef struct Traveller {
  struct Traveller *next;
  Random random;
  uint64_t steps;
} Traveller;

typedef struct Station {
  struct Station *above, *below[BELOW];
  Traveller *here;
  uint64_t left, steps;
  // Both are behind the lock while the stations below are at work.
  LOCK lock;
  Traveller *arrivals;
  uint64_t arrived;
} Station;

static void put(Traveller **list, Traveller *traveller) {
  traveller->next = *list; // racy
  *list = traveller; // racy
}

static void send_up(Station *to, Traveller *traveller) {
  LOCK_TAKE(&to->lock);
  put(&to->arrivals, traveller);
  to->arrived += 1; // racy
  LOCK_GIVE(&to->lock);
}

// One step of everyone here.
static void walk(Station *station) {
  Traveller *traveller = station->here, *staying = NULL;
  while (traveller != NULL) {
    Traveller *next = traveller->next;
    uint64_t fate = random_bits(&traveller->random) >> 32;
    traveller->steps += 1;
    if (station->above != NULL && fate % 16 == 0) {
      send_up(station->above, traveller);
    } else if (station->above == NULL && fate % 64 == 0) {
      station->left += 1;
      station->steps += traveller->steps;
      free(traveller);
    } else {
      put(&staying, traveller);
    }
    traveller = next;
  }
  station->here = staying;
}

// New travellers start where no station is below.
static void start(Station *station, uint64_t seed) {
  Traveller *traveller = own_room(1, sizeof *traveller);
  traveller->random = random_of(seed);
  put(&station->here, traveller);
}

static void take_arrivals(Station *station) {
  while (station->arrivals != NULL) {
    Traveller *traveller = station->arrivals;
    station->arrivals = traveller->next;
    put(&station->here, traveller);
  }
}

static void step(Station *station, uint64_t seed) {
  for (int i = 0; i < BELOW; i++) {
    if (station->below[i] != NULL) {
#pragma omp task
      step(station->below[i], seed * BELOW + (uint64_t)i);
    } else if (seed % (BELOW * 8) == (uint64_t)i) {
      start(station, seed);
    }
  }
  walk(station);
#pragma omp taskwait
  take_arrivals(station);
}

static Station *build(Station *above, int levels, uint64_t seed) {
  Station *station = own_room(1, sizeof *station);
  station->above = above;
  LOCK_INIT(&station->lock);
  for (int i = 0; i < TRAVELLERS; i++) {
    start(station, seed * TRAVELLERS + (uint64_t)i);
  }
  for (int i = 0; levels > 1 && i < BELOW; i++) {
    station->below[i] = build(station, levels - 1, seed * BELOW + (uint64_t)i + 1);
  }
  return station;
}

static uint64_t freed(Traveller *list) {
  uint64_t steps = 0;
  while (list != NULL) {
    Traveller *next = list->next;
    steps += list->steps;
    free(list);
    list = next;
  }
  return steps;
}

// Adds all of it up, from the root down, and gives it back.
static void tear_down(Station *station, Digest *digest) {
  digest_add(digest, station->left);
  digest_add(digest, station->steps);
  digest_add(digest, station->arrived);
  digest_add(digest, freed(station->here));
  for (int i = 0; i < BELOW; i++) {
    if (station->below[i] != NULL) {
      tear_down(station->below[i], digest);
    }
  }
  LOCK_DESTROY(&station->lock);
  free(station);
}

int main(int count, char **words) {
  size_t steps = size_argument(count, words);
  Station *root = build(NULL, LEVELS, 1);
#pragma omp parallel
#pragma omp single
  for (size_t i = 0; i < steps; i++) {
    step(root, i + 1);
  }
  Digest digest = EMPTY_DIGEST;
  tear_down(root, &digest);
  return print_digest(digest);
}
