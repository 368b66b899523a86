// MonteCarlo: what a share may be worth, from random walks with the drift and volatility of its past.
//
// A first task works out drift and volatility; then one task per walk, each with its own generator
// and its own memory for the path.
// Seeded defect: the walks add their results to one shared sum.

#include "kernel.h"

enum { DAYS = 1000 };

typedef struct {
  double drift, volatility;
} Moments;

static void past_prices(double *prices) {
  Random random = random_of(17);
  double price = 100.0;
  for (int day = 0; day < DAYS; day++) {
    price *= 1.0 + 0.01 * random_gaussian(&random);
    prices[day] = price;
  }
}

// Of the daily logarithmic returns.
static Moments moments(const double *prices) {
  double sum = 0.0, squares = 0.0, count = DAYS - 1;
  for (int day = 1; day < DAYS; day++) {
    sum += log(prices[day] / prices[day - 1]);
  }
  for (int day = 1; day < DAYS; day++) {
    double off = log(prices[day] / prices[day - 1]) - sum / count;
    squares += off * off;
  }
  return (Moments){sum / count, sqrt(squares / (count - 1.0))};
}

static double walk(size_t seed, const Moments *past) {
  double *path = own_room(DAYS, sizeof *path);
  Random random = random_of(seed);
  double at = 0.0, mean = 0.0;
  for (int day = 0; day < DAYS; day++) {
    at += past->drift + past->volatility * random_gaussian(&random);
    path[day] = at;
  }
  for (int day = 0; day < DAYS; day++) {
    mean += path[day] / DAYS;
  }
  free(path);
  return mean;
}

#ifdef RACY
// Not static: the compiler could see that nobody reads it.
double sum;

static double noted(double end) {
  sum += end; // racy
  return end;
}
#else
static double noted(double end) { return end; }
#endif

static void simulate(const double *prices, double *ends, size_t walks) {
  Moments past;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(past)
    past = moments(prices);
#pragma omp taskwait
    for (size_t i = 0; i < walks; i++) {
#pragma omp task shared(past)
      ends[i] = noted(walk(i, &past));
    }
  }
}

int main(int count, char **words) {
  size_t walks = size_argument(count, words);
  double prices[DAYS], mean = 0.0;
  double *ends = room(walks, sizeof *ends);
  past_prices(prices);
  SHARED(prices, DAYS);
  simulate(prices, ends, walks);
  for (size_t i = 0; i < walks; i++) {
    mean += ends[i] / (double)walks;
  }
  Digest digest = EMPTY_DIGEST;
  digest_floats(&digest, &mean, 1);
  digest_floats(&digest, ends, walks);
  free(ends);
  return print_digest(digest);
}
