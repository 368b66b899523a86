//! Sections that exclude each other, all over the program.

use super::{crossing, held};
use crate::context;
use crate::explore::world;
use crate::sites::Caller;
use heddle_core::LockId;
use heddle_rt::LockMode;
use std::panic::Location;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// The one lock of all isolated sections.
static ISOLATED: Mutex<()> = Mutex::new(());

/// A section that is left when this is dropped, also by a panic.
struct Section {
    /// None in an explored run: several runs may be in their sections at once.
    _inside: Option<MutexGuard<'static, ()>>,
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
    if size_of::<R>() > 0 {
        return f();
    }
    let before = world::before_section();
    let result = f();
    if let Some(before) = before {
        world::forget_since(before);
    }
    result
}

impl Section {
    #[track_caller]
    fn enter() -> Self {
        let (lock, mode) = (LockId::ISOLATED, LockMode::Exclusive);
        let caller = Location::caller();
        let _inside = match world::is_explored() {
            true => {
                world::acquire(lock, None, mode, caller);
                None
            }
            false => {
                held::assert_free(|| "this isolated section".into(), lock, mode);
                context::waits_for(lock, mode, caller);
                Some(really(caller))
            }
        };
        held::push(lock, mode, caller);
        context::acquire(lock, None, mode, caller);
        Self { _inside }
    }
}

/// Takes the lock of the process.
fn really(caller: Caller) -> MutexGuard<'static, ()> {
    match ISOLATED.try_lock() {
        Ok(inside) => inside,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => {
            let what = || "an isolated section".into();
            let (lock, mode) = (LockId::ISOLATED, LockMode::Exclusive);
            let _waiting = crossing::waits(what, lock, mode, caller);
            ISOLATED.lock().unwrap_or_else(PoisonError::into_inner)
        }
    }
}

impl Drop for Section {
    fn drop(&mut self) {
        context::release(LockId::ISOLATED);
        held::pop(LockId::ISOLATED);
    }
}
