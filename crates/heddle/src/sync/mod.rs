//! Mutual exclusion: locks and atomics with the names and methods of the standard library, and
//! sections that exclude all others.
//!
//! A lock does not order tasks: two sections on one lock may come either way round. But where a section
//! reads what an earlier one wrote, the program may behave differently the other way round, and the
//! checker counts that as a *hand-off*: a race that only exists without it is reported as possible, any
//! other as certain. What a lock protects is not checked itself, since Rust's types do that; it is one
//! location per lock, accessed under the lock, so that hand-offs through it are known.
//!
//! The names are those of [`std::sync`], so that `use heddle::sync` can stand for `use std::sync`: locks, [`atomic`],
//! [`Condvar`], [`Barrier`], [`OnceLock`] and [`mpsc`]. `Arc` and what belongs to locks are the standard library's own.

pub mod atomic;
mod barrier;
mod condvar;
mod crossing;
mod held;
mod identity;
mod isolated;
mod lock;
pub mod mpsc;
mod mutex;
mod once_lock;
mod plain;
mod rwlock;
mod section;
mod signal;

pub use barrier::Barrier;
pub use condvar::Condvar;
pub use isolated::isolated;
pub use mutex::{Mutex, MutexGuard};
pub use once_lock::OnceLock;
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use std::sync::{
    Arc, BarrierWaitResult, LockResult, PoisonError, TryLockError, TryLockResult,
    WaitTimeoutResult, Weak,
};
