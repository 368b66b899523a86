//! Locks made of nothing but atomics, for runs under ThreadSanitizer.
//!
//! The standard library comes compiled without the sanitizer, so what its locks order is invisible to
//! it and every locked access looks like a race. These are compiled with the engine, so it sees them.
//! They spin and never poison; nothing but the tests should use them.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::LockResult;
use std::sync::atomic::{AtomicBool, Ordering};

/// A spinning mutex with the standard one's interface, as far as the engine uses it.
#[derive(Debug, Default)]
pub(crate) struct Mutex<T> {
    taken: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached through a guard only, and `taken` allows one guard at a time.
unsafe impl<T: Send> Sync for Mutex<T> {}

impl<T> Mutex<T> {
    /// A free mutex.
    pub(crate) const fn new(value: T) -> Self {
        Self {
            taken: AtomicBool::new(false),
            value: UnsafeCell::new(value),
        }
    }

    /// Waits until it is free.
    pub(crate) fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        while self.taken.swap(true, Ordering::Acquire) {
            std::thread::yield_now();
        }
        Ok(MutexGuard(self))
    }

    /// Takes it if it is free.
    pub(crate) fn try_lock(&self) -> Result<MutexGuard<'_, T>, ()> {
        match self.taken.swap(true, Ordering::Acquire) {
            true => Err(()),
            false => Ok(MutexGuard(self)),
        }
    }
}

/// The right to the value of a taken mutex.
#[derive(Debug)]
pub(crate) struct MutexGuard<'a, T>(&'a Mutex<T>);

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: this guard is the only one, see `Mutex`.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this guard is the only one, see `Mutex`.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        self.0.taken.store(false, Ordering::Release);
    }
}

/// A mutex under the name of a lock that lets several read.
#[derive(Debug, Default)]
pub(crate) struct RwLock<T>(Mutex<T>);

impl<T> RwLock<T> {
    /// A free lock.
    pub(crate) const fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    /// Waits until it is free.
    pub(crate) fn read(&self) -> LockResult<MutexGuard<'_, T>> {
        self.0.lock()
    }

    /// Waits until it is free.
    pub(crate) fn write(&self) -> LockResult<MutexGuard<'_, T>> {
        self.0.lock()
    }
}
