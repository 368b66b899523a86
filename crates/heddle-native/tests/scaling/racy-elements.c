// Two tasks that go over the same elements, one after the other first, then beside each other.
#include "measure.h"

#define N 500000

struct point {
  double x, y;
};

static double clean[N], racy[N];
static struct point clean_points[N], racy_points[N];

// Not a loop whose checks can be made at once: the elements are looked at one by one.
static void set(double *a, struct point *points, double value) {
  for (int i = 0; i < N; i++) {
    if (value < 0) break;
    a[i] = value;
    points[i].y = value;
  }
}

static void in_turn(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    set(clean, clean_points, 1);
#pragma omp taskwait
#pragma omp task
    set(clean, clean_points, 2);
  }
}

static void side_by_side(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    set(racy, racy_points, 1);
#pragma omp task
    set(racy, racy_points, 2);
  }
}

int main(void) {
  COMPARE_TIME(in_turn(), side_by_side());
  return 0;
}
