// How the programs beside this file measure themselves: processor time of all threads, and the most memory ever held.

#include <stdio.h>
#include <string.h>
#include <time.h>

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double mebibytes(void) {
  FILE *status = fopen("/proc/self/status", "r");
  char line[256];
  long kibibytes = 0;
  while (fgets(line, sizeof line, status) != NULL) {
    if (strncmp(line, "VmHWM:", 6) == 0) {
      sscanf(line + 6, "%ld", &kibibytes);
    }
  }
  fclose(status);
  return (double)kibibytes / 1024;
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

// The same for the memory held until then.
#define COMPARE_MEMORY(small, large)                                                               \
  do {                                                                                             \
    small;                                                                                         \
    double first = mebibytes();                                                                    \
    large;                                                                                         \
    printf("%f %f\n", first, mebibytes());                                                         \
  } while (0)
