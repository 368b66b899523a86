// Counts what the null runtime is called for and what OpenMP's tool interface tells of, and prints the
// sums as one JSON object on the error stream when the program ends.
//
// Every thread has its own counters, so that counting does not slow threads down by turns. They are
// kept in a list that only grows; a thread that ends leaves its counters there.

#ifndef COUNT_H
#define COUNT_H

#include <inttypes.h>
#include <omp-tools.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNTERS(each)                                                                             \
  each(reads) each(writes) each(ranges) each(atomics) each(entries) each(regions) each(members)    \
      each(tasks) each(dependences) each(waits) each(barriers) each(chunks) each(singles)          \
          each(locks)

typedef struct Counts {
#define FIELD(name) uint64_t name;
  COUNTERS(FIELD)
#undef FIELD
  struct Counts *next;
} Counts;

static _Atomic(Counts *) all_counts;
static _Thread_local Counts *own_counts __attribute__((tls_model("initial-exec")));

static Counts *new_counts(void) {
  Counts *counts = calloc(1, sizeof *counts);
  if (counts == NULL) {
    abort();
  }
  counts->next = atomic_load(&all_counts);
  while (!atomic_compare_exchange_weak(&all_counts, &counts->next, counts)) {
  }
  return own_counts = counts;
}

static inline Counts *counts_here(void) { return own_counts != NULL ? own_counts : new_counts(); }

#define TALLY(counter, amount) (counts_here()->counter += (amount))

__attribute__((destructor)) static void print_counts(void) {
  Counts sum = {0};
  for (Counts *counts = atomic_load(&all_counts); counts != NULL; counts = counts->next) {
#define ADD(name) sum.name += counts->name;
    COUNTERS(ADD)
#undef ADD
  }
  const char *before = "{";
#define PRINT(name)                                                                                \
  fprintf(stderr, "%s\"" #name "\": %" PRIu64, before, sum.name);                                  \
  before = ", ";
  COUNTERS(PRINT)
#undef PRINT
  fprintf(stderr, "}\n");
}

static void on_parallel(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region,
                        unsigned int threads, int flags, const void *caller) {
  (void)task, (void)frame, (void)region, (void)threads, (void)flags, (void)caller;
  TALLY(regions, 1);
}

static void on_member(ompt_scope_endpoint_t end, ompt_data_t *region, ompt_data_t *task,
                      unsigned int threads, unsigned int number, int flags) {
  (void)region, (void)task, (void)threads, (void)number;
  if (end == ompt_scope_begin && (flags & ompt_task_implicit) != 0) {
    TALLY(members, 1);
  }
}

static void on_task(ompt_data_t *parent, const ompt_frame_t *frame, ompt_data_t *task, int flags,
                    int dependences, const void *caller) {
  (void)parent, (void)frame, (void)task, (void)dependences, (void)caller;
  if ((flags & ompt_task_explicit) != 0) {
    TALLY(tasks, 1);
  }
}

static void on_dependences(ompt_data_t *task, const ompt_dependence_t *list, int count) {
  (void)task, (void)list;
  TALLY(dependences, (uint64_t)count);
}

static void on_sync(ompt_sync_region_t kind, ompt_scope_endpoint_t end, ompt_data_t *region,
                    ompt_data_t *task, const void *caller) {
  (void)region, (void)task, (void)caller;
  if (end != ompt_scope_begin) {
    return;
  }
  if (kind == ompt_sync_region_taskwait || kind == ompt_sync_region_taskgroup) {
    TALLY(waits, 1);
  } else if (kind != ompt_sync_region_reduction) {
    TALLY(barriers, 1);
  }
}

static void on_dispatch(ompt_data_t *region, ompt_data_t *task, ompt_dispatch_t kind,
                        ompt_data_t instance) {
  (void)region, (void)task, (void)instance;
  if (kind == ompt_dispatch_ws_loop_chunk) {
    TALLY(chunks, 1);
  }
}

static void on_work(ompt_work_t kind, ompt_scope_endpoint_t end, ompt_data_t *region,
                    ompt_data_t *task, uint64_t count, const void *caller) {
  (void)region, (void)task, (void)count, (void)caller;
  if (kind == ompt_work_single_executor && end == ompt_scope_begin) {
    TALLY(singles, 1);
  }
}

static void on_lock(ompt_mutex_t kind, ompt_wait_id_t lock, const void *caller) {
  (void)kind, (void)lock, (void)caller;
  TALLY(locks, 1);
}

static int begin_counting(ompt_function_lookup_t lookup, int device, ompt_data_t *tool) {
  (void)device, (void)tool;
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel);
  set(ompt_callback_implicit_task, (ompt_callback_t)on_member);
  set(ompt_callback_task_create, (ompt_callback_t)on_task);
  set(ompt_callback_dependences, (ompt_callback_t)on_dependences);
  set(ompt_callback_sync_region, (ompt_callback_t)on_sync);
  set(ompt_callback_dispatch, (ompt_callback_t)on_dispatch);
  set(ompt_callback_work, (ompt_callback_t)on_work);
  set(ompt_callback_mutex_acquired, (ompt_callback_t)on_lock);
  return 1;
}

static void end_counting(ompt_data_t *tool) { (void)tool; }

// libomp looks for this symbol when it starts.
__attribute__((visibility("default"))) ompt_start_tool_result_t *
ompt_start_tool(unsigned int version, const char *runtime) {
  static ompt_start_tool_result_t result = {begin_counting, end_counting, {0}};
  (void)version, (void)runtime;
  return &result;
}

#endif
