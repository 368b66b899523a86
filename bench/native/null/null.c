// The runtime that checks nothing: every entry point that instrumented code calls, with an empty body.
//
// What a program costs with it is the price of the instrumentation alone, which no checker behind the
// same calls can get below. What the program relies on is really done: atomics and memory functions.
// With COUNT defined the calls are counted (count.h) and the sums printed when the program ends.

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef COUNT
#include "count.h"
#else
#define TALLY(counter, amount)
#endif

#define EXPORT __attribute__((visibility("default")))

EXPORT void __tsan_init(void) {}

EXPORT void __tsan_func_entry(void *caller) {
  (void)caller;
  TALLY(entries, 1);
}

EXPORT void __tsan_func_exit(void) {}

EXPORT void __tsan_vptr_read(void **slot) {
  (void)slot;
  TALLY(reads, 1);
}

EXPORT void __tsan_vptr_update(void **slot, void *value) {
  (void)slot, (void)value;
  TALLY(writes, 1);
}

EXPORT void __tsan_read_range(void *at, size_t len) {
  (void)at, (void)len;
  TALLY(ranges, 1);
}

EXPORT void __tsan_write_range(void *at, size_t len) {
  (void)at, (void)len;
  TALLY(ranges, 1);
}

#define ACCESS(name, counter)                                                                      \
  EXPORT void __tsan_##name(void *at) {                                                            \
    (void)at;                                                                                      \
    TALLY(counter, 1);                                                                             \
  }

#define ACCESSES(len)                                                                              \
  ACCESS(read##len, reads)                                                                         \
  ACCESS(write##len, writes)                                                                       \
  ACCESS(read_write##len, writes)                                                                  \
  ACCESS(volatile_read##len, reads)                                                                \
  ACCESS(volatile_write##len, writes)                                                              \
  ACCESS(unaligned_read##len, reads)                                                               \
  ACCESS(unaligned_write##len, writes)                                                             \
  ACCESS(unaligned_read_write##len, writes)

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

EXPORT void *__tsan_memcpy(void *to, const void *from, size_t len) {
  TALLY(ranges, 2);
  return memcpy(to, from, len);
}

EXPORT void *__tsan_memmove(void *to, const void *from, size_t len) {
  TALLY(ranges, 2);
  return memmove(to, from, len);
}

EXPORT void *__tsan_memset(void *to, int value, size_t len) {
  TALLY(ranges, 1);
  return memset(to, value, len);
}

#define UPDATE(bits, name, builtin)                                                                \
  EXPORT uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t *at,                  \
                                                     uint##bits##_t value, int order) {            \
    (void)order;                                                                                   \
    TALLY(atomics, 1);                                                                             \
    return builtin(at, value, __ATOMIC_SEQ_CST);                                                   \
  }

#define EXCHANGE_IF(bits, strength, weak)                                                          \
  EXPORT int __tsan_atomic##bits##_compare_exchange_##strength(                                    \
      volatile uint##bits##_t *at, uint##bits##_t *expected, uint##bits##_t value, int order,      \
      int on_failure) {                                                                            \
    (void)order, (void)on_failure;                                                                 \
    TALLY(atomics, 1);                                                                             \
    return __atomic_compare_exchange_n(at, expected, value, weak, __ATOMIC_SEQ_CST,                \
                                       __ATOMIC_SEQ_CST);                                          \
  }

#define ATOMICS(bits)                                                                              \
  EXPORT uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *at, int order) { \
    (void)order;                                                                                   \
    TALLY(atomics, 1);                                                                             \
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                  \
  }                                                                                                \
  EXPORT void __tsan_atomic##bits##_store(volatile uint##bits##_t *at, uint##bits##_t value,       \
                                          int order) {                                             \
    (void)order;                                                                                   \
    TALLY(atomics, 1);                                                                             \
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                 \
  }                                                                                                \
  UPDATE(bits, exchange, __atomic_exchange_n)                                                      \
  UPDATE(bits, fetch_add, __atomic_fetch_add)                                                      \
  UPDATE(bits, fetch_sub, __atomic_fetch_sub)                                                      \
  UPDATE(bits, fetch_and, __atomic_fetch_and)                                                      \
  UPDATE(bits, fetch_or, __atomic_fetch_or)                                                        \
  UPDATE(bits, fetch_xor, __atomic_fetch_xor)                                                      \
  UPDATE(bits, fetch_nand, __atomic_fetch_nand)                                                    \
  EXCHANGE_IF(bits, strong, 0)                                                                     \
  EXCHANGE_IF(bits, weak, 1)                                                                       \
  EXPORT uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                \
      volatile uint##bits##_t *at, uint##bits##_t expected, uint##bits##_t value, int order,       \
      int on_failure) {                                                                            \
    __tsan_atomic##bits##_compare_exchange_strong(at, &expected, value, order, on_failure);        \
    return expected;                                                                               \
  }

ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

EXPORT void __tsan_atomic_thread_fence(int order) {
  (void)order;
  TALLY(atomics, 1);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

EXPORT void __tsan_atomic_signal_fence(int order) {
  (void)order;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
