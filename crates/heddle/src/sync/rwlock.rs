//! A reader-writer lock that tells the checker of its sections.

use super::identity::Identity;
use super::lock::{changing_guard, guard, lock};
use super::plain;
use super::section::{Section, try_wrap, wrap};
use crate::sites::Caller;
use heddle_rt::{LockMode, Pairs};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::{self, LockResult, TryLockError, TryLockResult};

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
///
/// To look as a reader and change as a writer later on is a finding, as for
/// [`Mutex`](super::Mutex#sections-that-belong-together), unless the writer looks again first.
pub struct RwLock<T: ?Sized> {
    identity: Identity,
    inner: sync::RwLock<T>,
}

lock! { RwLock, "write" }

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
        self.identity.before_taking(LockMode::Shared);
        let caller = Location::caller();
        let taken = self
            .identity
            .wait(LockMode::Shared, caller, self.inner.try_read(), || {
                self.inner.read()
            });
        wrap(taken, |inner| RwLockReadGuard::new(self, inner, caller))
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
        self.identity.before_taking(LockMode::Exclusive);
        let caller = Location::caller();
        let taken = self
            .identity
            .wait(LockMode::Exclusive, caller, self.inner.try_write(), || {
                self.inner.write()
            });
        wrap(taken, |inner| RwLockWriteGuard::new(self, inner, caller))
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
        if !self.identity.may_take(LockMode::Shared) {
            return Err(TryLockError::WouldBlock);
        }
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
        if !self.identity.may_take(LockMode::Exclusive) {
            return Err(TryLockError::WouldBlock);
        }
        let caller = Location::caller();
        try_wrap(self.inner.try_write(), |inner| {
            RwLockWriteGuard::new(self, inner, caller)
        })
    }
}

guard! {
    /// A [`RwLock`] taken for reading; gives it back when dropped.
    ///
    /// ```
    /// let lock = heddle::RwLock::new([1, 2]);
    /// assert_eq!(lock.read().unwrap().len(), 2);
    /// ```
    RwLockReadGuard, RwLock, LockMode::Shared
}

guard! {
    /// A [`RwLock`] taken for writing; gives it back when dropped.
    ///
    /// ```
    /// let lock = heddle::RwLock::new(vec![1, 2]);
    /// lock.write().unwrap().push(3);
    /// assert_eq!(lock.read().unwrap().len(), 3);
    /// ```
    RwLockWriteGuard, RwLock, LockMode::Exclusive
}

changing_guard! { RwLockWriteGuard }
