// How the programs beside this file measure themselves: processor time of all threads.

#include <stdio.h>
#include <time.h>

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// Runs `small`, then `large`, and prints what each took.
#define COMPARE_TIME(small, large)                                                                 \
  do {                                                                                             \
    double start = seconds();                                                                      \
    small;                                                                                         \
    double middle = seconds();                                                                     \
    large;                                                                                         \
    printf("%f %f\n", middle - start, seconds() - middle);                                         \
  } while (0)
