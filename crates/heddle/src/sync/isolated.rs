//! Sections that exclude each other, all over the program.

use super::held;
use crate::context;
use heddle_core::LockId;
use heddle_rt::LockMode;
use std::panic::Location;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The one lock of all isolated sections.
static ISOLATED: Mutex<()> = Mutex::new(());

/// A section that is left when this is dropped, also by a panic.
struct Section {
    _inside: MutexGuard<'static, ()>,
}

/// Runs `f` while no other task is in an isolated section. A section inside a section is part of it.
///
/// ```
/// use heddle::{Shared, check, finish, isolated};
///
/// let sum = Shared::new(0);
/// check(|| {
///     finish(|s| {
///         for i in 0..10 {
///             let sum = &sum;
///             s.spawn(move |_| isolated(|| sum.add(i)));
///         }
///     });
/// })
/// .assert_clean();
/// assert_eq!(sum.get(), 45);
/// ```
///
/// # Panics
/// If a task that was spawned in an isolated section, and runs before the section is over, enters one
/// itself: that could never end.
#[track_caller]
pub fn isolated<R>(f: impl FnOnce() -> R) -> R {
    if held::by_this_task(LockId::ISOLATED) {
        return f();
    }
    let _section = Section::enter();
    f()
}

impl Section {
    #[track_caller]
    fn enter() -> Self {
        let (lock, mode) = (LockId::ISOLATED, LockMode::Exclusive);
        held::assert_free(|| "this isolated section".into(), lock, mode);
        let _inside = ISOLATED.lock().unwrap_or_else(PoisonError::into_inner);
        held::push(lock, mode, Location::caller());
        context::acquire(lock, None, mode);
        Self { _inside }
    }
}

impl Drop for Section {
    fn drop(&mut self) {
        context::release(LockId::ISOLATED);
        held::pop(LockId::ISOLATED);
    }
}
