//! Mutual exclusion: locks and atomics with the names and methods of the standard library, and
//! sections that exclude all others.
//!
//! A lock does not order tasks: two sections on one lock may come either way round. But where a section
//! reads what an earlier one wrote, the program may behave differently the other way round, and the
//! checker counts that as a *hand-off*: a race that only exists without it is reported as possible, any
//! other as certain. What a lock protects is not checked itself, since Rust's types do that; it is one
//! location per lock, accessed under the lock, so that hand-offs through it are known.

pub mod atomic;
mod crossing;
mod held;
mod identity;
mod isolated;
mod lock;
mod mutex;
mod rwlock;
mod section;

pub use isolated::isolated;
pub use mutex::{Mutex, MutexGuard};
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
