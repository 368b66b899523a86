// Stands before the header of GNU's C++ library of the same name. There, `std::atomic<std::shared_ptr<T>>` has a bit that
// is its lock, and a load gives it back by a relaxed operation: by the memory model, that orders nothing, and whoever
// takes the lock next would race on the pointer, in a program that did nothing wrong. What is relaxed in that header is
// made stronger here, which is always allowed, so the lock orders what it keeps apart.
#pragma GCC system_header
#include <bits/atomic_base.h>
#pragma push_macro("memory_order_relaxed")
#define memory_order_relaxed memory_order_seq_cst
#include_next <bits/shared_ptr_atomic.h>
#pragma pop_macro("memory_order_relaxed")
