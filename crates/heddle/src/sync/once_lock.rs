//! A value that is set once, whose setting the checker knows.

use super::signal::Signal;
use crate::explore::world;
use std::sync;

/// [`std::sync::OnceLock`], checked: what was done to make the value precedes what is done with it.
///
/// ```
/// use heddle::sync::OnceLock;
/// use heddle::{Shared, check, thread};
///
/// check(|| {
///     let size = OnceLock::new();
///     let get = || size.get_or_init(|| { let size = Shared::new(0); size.set(5); size }).get();
///     thread::scope(|s| {
///         s.spawn(get);
///         s.spawn(get);
///     });
/// })
/// .assert_clean();
/// ```
#[derive(Debug, Default)]
pub struct OnceLock<T> {
    inner: sync::OnceLock<(T, Signal)>,
}

impl<T> OnceLock<T> {
    /// Without a value.
    pub const fn new() -> Self {
        Self {
            inner: sync::OnceLock::new(),
        }
    }

    /// The value, if it is set.
    pub fn get(&self) -> Option<&T> {
        refuse();
        let (value, set) = self.inner.get()?;
        set.precedes();
        Some(value)
    }

    /// Sets the value.
    ///
    /// # Errors
    /// If it is set already; the error has the value given.
    pub fn set(&self, value: T) -> Result<(), T> {
        refuse();
        let set = self.inner.set((value, Signal::now()));
        set.map_err(|(value, _)| value)
    }

    /// The value, which `make` makes if nobody has.
    pub fn get_or_init(&self, make: impl FnOnce() -> T) -> &T {
        refuse();
        let (value, set) = self.inner.get_or_init(|| {
            let value = make();
            (value, Signal::now())
        });
        set.precedes();
        value
    }

    /// The value, if it is set.
    pub fn into_inner(self) -> Option<T> {
        self.inner.into_inner().map(|(value, _)| value)
    }
}

/// Who sets it is no choice that can be explored.
fn refuse() {
    world::refuse("a `OnceLock`", "let tasks share a value behind a lock");
}
