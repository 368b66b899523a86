//! The runtime that native programs are linked with: C and C++, OpenMP, threads.
//!
//! `heddle cc` compiles with the instrumentation of ThreadSanitizer and links this library in place of
//! its runtime. The library defines what instrumented code calls (`__tsan_*`), interposes what a
//! checker must know of (the heap, threads, locks, libc's work on memory) and is OpenMP's tool
//! (`ompt_start_tool`). All of that ends in calls of the engine, [`heddle_rt`].
//!
//! # Ground rules
//! 1. The program is never broken: where the runtime cannot check, it steps aside and says so.
//! 2. The runtime never runs instrumented code, and never allocates through the program's allocator.
//! 3. What is entered twice on one thread (a signal handler, a call from libc) passes through
//!    unchecked: [`thread::enter`].
//! 4. ABI files hold thin shims that convert and call.

// Nobody imports this library: its documentation is for those who change it.
#![allow(rustdoc::private_intra_doc_links)]

pub mod access;
mod allocator;
pub mod api;
pub mod atomic;
mod busy;
mod caller;
mod cxx;
mod daring;
mod descriptors;
mod end;
mod fork;
mod hand_off;
pub mod heap;
pub mod libc;
mod lock_places;
mod mapped;
pub mod ocr;
pub mod openmp;
mod own_stack;
mod own_symbol;
mod predict;
mod preserve;
pub mod pthread;
mod reclaim;
pub mod report;
mod runs;
pub mod runtime;
mod sanitizer;
mod say;
mod section;
mod shim;
mod signal;
pub mod stack;
pub mod thread;
mod unshared;
mod updates;
mod words;
