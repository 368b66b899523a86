//! A mutex that tells the checker of its sections.

use super::identity::Identity;
use super::lock::{changing_guard, guard, lock};
use super::plain;
use super::section::{Section, try_wrap, wrap};
use crate::explore::world;
use crate::sites::Caller;
use heddle_rt::{LockMode, Pairs};
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::{self, LockResult, TryLockError, TryLockResult};

/// [`std::sync::Mutex`], checked: same methods, same poisoning.
///
/// A section counts as changing the value if it borrows it mutably from the guard. Changes through a
/// `Cell` inside are not seen: a race that depends on such a hand-off is reported as certain.
///
/// ```
/// use heddle::{Mutex, Shared, check, finish};
///
/// let (log, hits) = (Mutex::new(Vec::new()), Shared::new(0));
/// check(|| {
///     finish(|s| {
///         for name in ["warp", "weft"] {
///             let (log, hits) = (&log, &hits);
///             s.spawn(move |_| {
///                 let mut log = log.lock().unwrap();
///                 log.push(name);
///                 hits.add(1);
///             });
///         }
///     });
/// })
/// .assert_clean();
/// assert_eq!(log.into_inner().unwrap().len(), 2);
/// ```
///
/// # Sections that belong together
/// A task that looks at the value in one section and changes it in a later one has given others the time to change
/// it too: what it saw may be outdated, and what they did be lost. That is a finding, in whatever
/// order the sections happened to come:
///
/// ```
/// use heddle::{Mutex, check, join};
///
/// let balance = Mutex::named("balance", 100);
/// let report = check(|| {
///     let withdraw = |amount| {
///         if *balance.lock().unwrap() >= amount {
///             *balance.lock().unwrap() -= amount; // who knows what is left
///         }
///     };
///     join(|| withdraw(30), || withdraw(40));
/// });
/// let torn = report.torn().next().unwrap();
/// assert_eq!(torn.location.as_deref(), Some("balance"));
///
/// check(|| {
///     let withdraw = |amount| {
///         let mut balance = balance.lock().unwrap();
///         if *balance >= amount {
///             *balance -= amount;
///         }
///     };
///     join(|| withdraw(30), || withdraw(40));
/// })
/// .assert_clean();
/// ```
///
/// A section looks if it borrows the value from the guard, and changes it if it borrows it mutably. One that
/// looks and then changes stands for itself: it has seen what it changes. So do sections that
/// only change (`push`, `+= 1`), however many a task makes, and a loop that changes and then looks. That a later section depends on
/// an earlier one is not known but likely; where it does not, [`independent`](Self::independent) says so.
/// The other way round, [`atomic`](Self::atomic) forbids others to come between any two sections of a strand.
/// A strand is what a task does between two task operations (spawning, waiting).
pub struct Mutex<T: ?Sized> {
    identity: Identity,
    inner: sync::Mutex<T>,
}

lock! { Mutex, "lock" }

impl<T: ?Sized> Mutex<T> {
    /// Waits for the mutex and takes it.
    ///
    /// # Errors
    /// If a holder panicked; the error has the guard all the same.
    ///
    /// # Panics
    /// If this thread can never get it: the running task has it already, or a task that cannot go on
    /// before the running one ends. A check runs tasks where they are spawned, so a guard must not live
    /// across the spawn of a task that takes the same mutex.
    ///
    /// ```
    /// let m = heddle::Mutex::new(1);
    /// *m.lock().unwrap() += 1;
    /// assert_eq!(*m.lock().unwrap(), 2);
    /// ```
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        self.identity.before_taking(LockMode::Exclusive);
        let caller = Location::caller();
        let taken = self
            .identity
            .wait(LockMode::Exclusive, caller, self.inner.try_lock(), || {
                self.inner.lock()
            });
        wrap(taken, |inner| MutexGuard::new(self, inner, caller))
    }

    /// Takes the mutex if nobody has it.
    ///
    /// # Errors
    /// If somebody has it, or a holder panicked.
    ///
    /// ```
    /// let m = heddle::Mutex::new(1);
    /// let guard = m.try_lock().unwrap();
    /// assert!(m.try_lock().is_err());
    /// # drop(guard);
    /// ```
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        if !self.identity.may_take(LockMode::Exclusive) {
            return Err(TryLockError::WouldBlock);
        }
        let caller = Location::caller();
        try_wrap(self.inner.try_lock(), |inner| {
            MutexGuard::new(self, inner, caller)
        })
    }
}

guard! {
    /// A taken [`Mutex`]; gives it back when dropped.
    ///
    /// ```
    /// let m = heddle::Mutex::new(vec![1]);
    /// let mut guard = m.lock().unwrap();
    /// guard.push(2);
    /// assert_eq!(guard.len(), 2);
    /// ```
    MutexGuard, Mutex, LockMode::Exclusive
}

changing_guard! { MutexGuard }

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// The mutex is given back by `wait`, and taken again.
    #[track_caller]
    pub(super) fn suspended(
        self,
        wait: impl FnOnce(sync::MutexGuard<'a, T>) -> LockResult<sync::MutexGuard<'a, T>>,
    ) -> LockResult<Self> {
        let caller = Location::caller();
        world::refuse("a condition variable", "let tasks wait for tasks or events");
        self.section.end(&self.lock.identity, || None);
        let guard = ManuallyDrop::new(self);
        let lock = guard.lock;
        // SAFETY: the guard is not used any more, nor dropped; the section has nothing to drop.
        let inner = unsafe { std::ptr::read(&raw const guard.inner) };
        wrap(wait(inner), |inner| Self::new(lock, inner, caller))
    }
}
