// Parallel tasks that all read one location in sections of one lock, beside what they change there: the fifth part of
// the work first.
#include "measure.h"

static struct {
  int limit, count;
} beside;
static int apart[32];

static void count(int tasks) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < tasks; i++) {
#pragma omp task
    {
#pragma omp critical
      if (beside.limit == 0 && apart[0] == 0) {
        beside.count++;
        apart[16]++;
      }
    }
  }
}

int main(void) {
  COMPARE_TIME(count(8000), count(40000));
  return 0;
}
