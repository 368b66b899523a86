//! A condition variable for the checker's mutex.

use super::mutex::MutexGuard;
use std::sync::{self, LockResult, PoisonError, WaitTimeoutResult};
use std::time::Duration;

/// [`std::sync::Condvar`] for a [`Mutex`](super::Mutex) of this crate.
///
/// A wait ends one section of the mutex and begins another. What makes the waiting thread go on is what it then
/// sees behind the mutex, so it is that which orders, and not the notification.
#[derive(Debug, Default)]
pub struct Condvar {
    inner: sync::Condvar,
}

impl Condvar {
    /// A condition that nobody waits for.
    pub const fn new() -> Self {
        Self {
            inner: sync::Condvar::new(),
        }
    }

    /// Gives the mutex back, waits to be notified and takes it again.
    ///
    /// # Errors
    /// If another holder of the mutex panicked.
    #[track_caller]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        guard.suspended(|inner| self.inner.wait(inner))
    }

    /// The same, until `condition` says no.
    ///
    /// # Errors
    /// If another holder of the mutex panicked.
    #[track_caller]
    pub fn wait_while<'a, T>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<MutexGuard<'a, T>> {
        while condition(&mut guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// As [`wait`](Self::wait), but not longer than that.
    ///
    /// # Errors
    /// If another holder of the mutex panicked.
    #[track_caller]
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        timeout: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let mut timed_out = None;
        let again = guard.suspended(|inner| {
            let waited = self.inner.wait_timeout(inner, timeout);
            let (waited, is_poisoned) = match waited {
                Ok(waited) => (waited, false),
                Err(poisoned) => (poisoned.into_inner(), true),
            };
            timed_out = Some(waited.1);
            match is_poisoned {
                false => Ok(waited.0),
                true => Err(PoisonError::new(waited.0)),
            }
        });
        let timed_out = timed_out.expect("the wait is over");
        match again {
            Ok(guard) => Ok((guard, timed_out)),
            Err(poisoned) => Err(PoisonError::new((poisoned.into_inner(), timed_out))),
        }
    }

    /// Wakes one who waits.
    pub fn notify_one(&self) {
        self.inner.notify_one();
    }

    /// Wakes all who wait.
    pub fn notify_all(&self) {
        self.inner.notify_all();
    }
}
