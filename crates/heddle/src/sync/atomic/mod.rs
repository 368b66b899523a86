//! Atomics with the names and methods of [`std::sync::atomic`], checked.
//!
//! Operations on one atomic never race with each other. A load that acquires sees what a store that
//! releases left, and with it everything before that store: a hand-off, as between two sections of a
//! lock. Relaxed operations hand nothing over:
//!
//! ```
//! use heddle::atomic::{AtomicBool, Ordering};
//! use heddle::{Shared, check, finish};
//!
//! let (data, ready) = (Shared::new(0), AtomicBool::new(false));
//! let report = check(|| {
//!     finish(|s| {
//!         s.spawn(|_| {
//!             data.set(7);
//!             ready.store(true, Ordering::Relaxed); // should be `Release`
//!         });
//!         s.spawn(|_| {
//!             if ready.load(Ordering::Acquire) {
//!                 data.get();
//!             }
//!         });
//!     });
//! });
//! assert!(!report.is_clean());
//! ```
//!
//! # Deviations from the language's memory model
//! 1. A read-modify-write operation that only releases also receives what was left before it, so that
//!    all the releases of a chain of them are seen by whoever acquires last.
//! 2. Fences are not known to the checker.

mod guarded;
mod types;

pub use std::sync::atomic::Ordering;
pub use types::{AtomicBool, AtomicI32, AtomicI64, AtomicU32, AtomicU64, AtomicUsize};
