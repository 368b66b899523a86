//! A reader-writer lock that tells the checker of its sections.

use super::held;
use super::identity::Identity;
use super::section::{Section, try_wrap, wrap};
use crate::sites::Caller;
use heddle_rt::LockMode;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::{self, LockResult, TryLockResult};

/// [`std::sync::RwLock`], checked: same methods, same poisoning.
///
/// Readers do not exclude each other, so what a reader does to other data may race with what another
/// reader does to it:
///
/// ```
/// use heddle::{RwLock, Shared, check, finish};
///
/// let (map, last) = (RwLock::new(vec![1, 2, 3]), Shared::new(0));
/// let report = check(|| {
///     finish(|s| {
///         for i in 0..2 {
///             let (map, last) = (&map, &last);
///             s.spawn(move |_| {
///                 let map = map.read().unwrap();
///                 last.set(map[i]); // under a lock, but others may be here as well
///             });
///         }
///     });
/// });
/// assert!(!report.is_clean());
/// ```
pub struct RwLock<T: ?Sized> {
    identity: Identity,
    inner: sync::RwLock<T>,
}

impl<T> RwLock<T> {
    /// A lock around `value`.
    ///
    /// ```
    /// static SIZE: heddle::RwLock<usize> = heddle::RwLock::new(1);
    /// assert_eq!(*SIZE.read().unwrap(), 1);
    /// ```
    pub const fn new(value: T) -> Self {
        Self {
            identity: Identity::new(),
            inner: sync::RwLock::new(value),
        }
    }

    /// The value.
    ///
    /// # Errors
    /// If a writer panicked; the error has the value all the same.
    ///
    /// ```
    /// assert_eq!(heddle::RwLock::new(5).into_inner().unwrap(), 5);
    /// ```
    pub fn into_inner(self) -> LockResult<T> {
        self.inner.into_inner()
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Waits until nobody writes, and keeps writers out.
    ///
    /// # Errors
    /// If a writer panicked; the error has the guard all the same.
    ///
    /// # Panics
    /// If this thread can never get it, as [`Mutex::lock`](super::Mutex::lock).
    ///
    /// ```
    /// let lock = heddle::RwLock::new(1);
    /// let (a, b) = (lock.read().unwrap(), lock.read().unwrap());
    /// assert_eq!(*a + *b, 2);
    /// ```
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        held::assert_free("RwLock", self.identity.lock(), LockMode::Shared);
        let caller = Location::caller();
        wrap(self.inner.read(), |inner| {
            RwLockReadGuard::new(self, inner, caller)
        })
    }

    /// Waits until nobody reads or writes, and keeps all others out.
    ///
    /// # Errors
    /// If a writer panicked; the error has the guard all the same.
    ///
    /// # Panics
    /// If this thread can never get it, as [`Mutex::lock`](super::Mutex::lock).
    ///
    /// ```
    /// let lock = heddle::RwLock::new(1);
    /// *lock.write().unwrap() = 2;
    /// assert_eq!(*lock.read().unwrap(), 2);
    /// ```
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        held::assert_free("RwLock", self.identity.lock(), LockMode::Exclusive);
        let caller = Location::caller();
        wrap(self.inner.write(), |inner| {
            RwLockWriteGuard::new(self, inner, caller)
        })
    }

    /// Reads if nobody writes.
    ///
    /// # Errors
    /// If somebody writes, or a writer panicked.
    ///
    /// ```
    /// let lock = heddle::RwLock::new(1);
    /// let writer = lock.write().unwrap();
    /// assert!(lock.try_read().is_err());
    /// # drop(writer);
    /// ```
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        let caller = Location::caller();
        try_wrap(self.inner.try_read(), |inner| {
            RwLockReadGuard::new(self, inner, caller)
        })
    }

    /// Writes if nobody reads or writes.
    ///
    /// # Errors
    /// If somebody reads or writes, or a writer panicked.
    ///
    /// ```
    /// let lock = heddle::RwLock::new(1);
    /// let reader = lock.read().unwrap();
    /// assert!(lock.try_write().is_err());
    /// # drop(reader);
    /// ```
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        let caller = Location::caller();
        try_wrap(self.inner.try_write(), |inner| {
            RwLockWriteGuard::new(self, inner, caller)
        })
    }

    /// The value in place; no section, since the reference is exclusive.
    ///
    /// # Errors
    /// If a writer panicked.
    ///
    /// ```
    /// let mut lock = heddle::RwLock::new(1);
    /// *lock.get_mut().unwrap() = 3;
    /// assert_eq!(*lock.read().unwrap(), 3);
    /// ```
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.inner.get_mut()
    }

    /// Whether a writer panicked.
    ///
    /// ```
    /// assert!(!heddle::RwLock::new(1).is_poisoned());
    /// ```
    pub fn is_poisoned(&self) -> bool {
        self.inner.is_poisoned()
    }

    /// The value is all right again, whatever the writer that panicked left.
    ///
    /// ```
    /// let lock = heddle::RwLock::new(1);
    /// lock.clear_poison();
    /// assert!(lock.read().is_ok());
    /// ```
    pub fn clear_poison(&self) {
        self.inner.clear_poison();
    }
}

impl<T: Default> Default for RwLock<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for RwLock<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

/// A [`RwLock`] taken for reading; gives it back when dropped.
///
/// ```
/// let lock = heddle::RwLock::new([1, 2]);
/// assert_eq!(lock.read().unwrap().len(), 2);
/// ```
#[must_use = "dropped at once, it gives the lock back at once"]
pub struct RwLockReadGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    inner: sync::RwLockReadGuard<'a, T>,
    section: Section,
}

impl<'a, T: ?Sized> RwLockReadGuard<'a, T> {
    fn new(lock: &'a RwLock<T>, inner: sync::RwLockReadGuard<'a, T>, caller: Caller) -> Self {
        let section = Section::begin(&lock.identity, LockMode::Shared, caller);
        Self {
            lock,
            inner,
            section,
        }
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        self.section.end(&self.lock.identity, None);
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// A [`RwLock`] taken for writing; gives it back when dropped.
///
/// ```
/// let lock = heddle::RwLock::new(vec![1, 2]);
/// lock.write().unwrap().push(3);
/// assert_eq!(lock.read().unwrap().len(), 3);
/// ```
#[must_use = "dropped at once, it gives the lock back at once"]
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    inner: sync::RwLockWriteGuard<'a, T>,
    caller: Caller,
    section: Section,
    wrote: Option<Caller>,
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    fn new(lock: &'a RwLock<T>, inner: sync::RwLockWriteGuard<'a, T>, caller: Caller) -> Self {
        let section = Section::begin(&lock.identity, LockMode::Exclusive, caller);
        Self {
            lock,
            inner,
            caller,
            section,
            wrote: None,
        }
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.wrote = Some(self.caller);
        &mut self.inner
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        self.section.end(&self.lock.identity, self.wrote);
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
