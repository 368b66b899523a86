//! A mutex that tells the checker of its sections.

use super::held;
use super::identity::Identity;
use super::section::{Section, try_wrap, wrap};
use crate::sites::Caller;
use heddle_rt::LockMode;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::{self, LockResult, TryLockResult};

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
pub struct Mutex<T: ?Sized> {
    identity: Identity,
    inner: sync::Mutex<T>,
}

impl<T> Mutex<T> {
    /// A mutex around `value`.
    ///
    /// ```
    /// static NAMES: heddle::Mutex<Vec<&str>> = heddle::Mutex::new(Vec::new());
    /// NAMES.lock().unwrap().push("heddle");
    /// ```
    pub const fn new(value: T) -> Self {
        Self {
            identity: Identity::new(),
            inner: sync::Mutex::new(value),
        }
    }

    /// The value.
    ///
    /// # Errors
    /// As all methods here that return a `Result` like this: if a holder panicked. The error has the
    /// value all the same.
    ///
    /// ```
    /// assert_eq!(heddle::Mutex::new(5).into_inner().unwrap(), 5);
    /// ```
    pub fn into_inner(self) -> LockResult<T> {
        self.inner.into_inner()
    }
}

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
        held::assert_free("Mutex", self.identity.lock(), LockMode::Exclusive);
        let caller = Location::caller();
        wrap(self.inner.lock(), |inner| {
            MutexGuard::new(self, inner, caller)
        })
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
        let caller = Location::caller();
        try_wrap(self.inner.try_lock(), |inner| {
            MutexGuard::new(self, inner, caller)
        })
    }

    /// The value in place; no section, since the reference is exclusive.
    ///
    /// # Errors
    /// If a holder panicked.
    ///
    /// ```
    /// let mut m = heddle::Mutex::new(1);
    /// *m.get_mut().unwrap() = 3;
    /// assert_eq!(*m.lock().unwrap(), 3);
    /// ```
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.inner.get_mut()
    }

    /// Whether a holder panicked.
    ///
    /// ```
    /// assert!(!heddle::Mutex::new(1).is_poisoned());
    /// ```
    pub fn is_poisoned(&self) -> bool {
        self.inner.is_poisoned()
    }

    /// The value is all right again, whatever the holder that panicked left.
    ///
    /// ```
    /// let m = heddle::Mutex::new(1);
    /// m.clear_poison();
    /// assert!(m.lock().is_ok());
    /// ```
    pub fn clear_poison(&self) {
        self.inner.clear_poison();
    }
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for Mutex<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

/// A taken [`Mutex`]; gives it back when dropped.
///
/// ```
/// let m = heddle::Mutex::new(vec![1]);
/// let mut guard = m.lock().unwrap();
/// guard.push(2);
/// assert_eq!(guard.len(), 2);
/// ```
#[must_use = "dropped at once, it gives the mutex back at once"]
pub struct MutexGuard<'a, T: ?Sized> {
    mutex: &'a Mutex<T>,
    inner: sync::MutexGuard<'a, T>,
    caller: Caller,
    section: Section,
    wrote: Option<Caller>,
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    fn new(mutex: &'a Mutex<T>, inner: sync::MutexGuard<'a, T>, caller: Caller) -> Self {
        let section = Section::begin(&mutex.identity, LockMode::Exclusive, caller);
        Self {
            mutex,
            inner,
            caller,
            section,
            wrote: None,
        }
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.wrote = Some(self.caller);
        &mut self.inner
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        self.section.end(&self.mutex.identity, self.wrote);
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
