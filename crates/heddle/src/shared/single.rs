//! One shared value.

use super::Element;
use super::cell::ElementCell;
use crate::atomicity::sealed::Sealed;
use crate::context;
use crate::explore::world;
use crate::locations::Locations;
use std::fmt;
use std::ops::Add;
use std::panic::Location;

/// One value that tasks read and write.
///
/// ```
/// use heddle::{Shared, check, finish};
///
/// let x = Shared::new(0);
/// let report = check(|| {
///     finish(|s| {
///         s.spawn(|_| x.set(1));
///         s.spawn(|_| x.set(2));
///     });
/// });
/// assert_eq!(report.races().count(), 1);
/// ```
pub struct Shared<T: Element> {
    cell: ElementCell<T>,
    location: Locations,
}

impl<T: Element> Shared<T> {
    /// A shared value.
    ///
    /// ```
    /// assert_eq!(heddle::Shared::new(5).get(), 5);
    /// ```
    #[track_caller]
    pub fn new(value: T) -> Self {
        Self {
            cell: ElementCell::new(value),
            location: Locations::labelled(1, "Shared", Location::caller()),
        }
    }

    /// The same value, which reports call by this name instead of by where it was made.
    ///
    /// ```
    /// use heddle::{Shared, check, join};
    /// let total = Shared::new(0).named("total");
    /// let report = check(|| { join(|| total.set(1), || total.set(2)); });
    /// assert!(report.to_string().contains("race: total is written by"));
    /// ```
    pub fn named(mut self, name: &'static str) -> Self {
        self.location.rename(name);
        self
    }

    /// The same value, checked for atomicity: no access of a parallel task may come between two of a task's accesses such
    /// that no serial sequence explains the three. What counts is what a task does
    /// between two task operations, or in a block ([`atomically`](crate::atomically)).
    ///
    /// ```
    /// use heddle::{Mutex, Shared, check, join};
    ///
    /// let (hits, lock) = (Shared::new(0).atomic(), Mutex::new(()));
    /// let report = check(|| {
    ///     let hit = || {
    ///         let seen = lock.lock().map(|_guard| hits.get()).unwrap();
    ///         lock.lock().map(|_guard| hits.set(seen + 1)).unwrap(); // an update may be lost
    ///     };
    ///     join(hit, hit);
    /// });
    /// assert_eq!((report.races().count(), report.torn().count()), (0, 1));
    /// ```
    pub fn atomic(self) -> Self {
        self.location.declare(None);
        self
    }

    /// Reads the value.
    ///
    /// ```
    /// assert_eq!(heddle::Shared::new(2.5).get(), 2.5);
    /// ```
    #[inline]
    #[track_caller]
    pub fn get(&self) -> T {
        let is_explored = context::read(self.location.start(), 1, Location::caller());
        if is_explored {
            self.show();
        }
        self.cell.load()
    }

    /// Writes the value.
    ///
    /// ```
    /// let x = heddle::Shared::new(1);
    /// x.set(2);
    /// assert_eq!(x.get(), 2);
    /// ```
    #[inline]
    #[track_caller]
    pub fn set(&self, value: T) {
        let is_explored = context::write(self.location.start(), 1, Location::caller());
        self.cell.store(value);
        if is_explored {
            ElementCell::tell(std::slice::from_ref(&self.cell), self.location.start());
        }
    }

    /// Reads the value and writes what `f` makes of it. Other tasks may come in between: this is a
    /// read and a write, not an atomic operation.
    ///
    /// ```
    /// let x = heddle::Shared::new(3);
    /// x.update(|x| x * x);
    /// assert_eq!(x.get(), 9);
    /// ```
    #[inline]
    #[track_caller]
    pub fn update(&self, f: impl FnOnce(T) -> T) {
        let value = f(self.get());
        self.set(value);
    }

    /// Adds to the value: a read and a write.
    ///
    /// ```
    /// let x = heddle::Shared::new(3);
    /// x.add(4);
    /// assert_eq!(x.get(), 7);
    /// ```
    #[inline]
    #[track_caller]
    pub fn add(&self, value: T)
    where
        T: Add<Output = T>,
    {
        let caller = Location::caller();
        let is_explored = context::read(self.location.start(), 1, caller);
        if is_explored {
            world::unsee();
            self.show();
        }
        self.set(self.cell.load() + value);
    }

    /// The value, to be used in place. Needs no check: the reference is exclusive.
    ///
    /// ```
    /// let mut x = heddle::Shared::new(3);
    /// *x.get_mut() += 1;
    /// assert_eq!(x.get(), 4);
    /// ```
    pub fn get_mut(&mut self) -> &mut T {
        self.used_up();
        let [value] = ElementCell::as_elements(std::slice::from_mut(&mut self.cell)) else {
            unreachable!("one cell is one element")
        };
        value
    }

    /// The value.
    ///
    /// ```
    /// assert_eq!(heddle::Shared::new(3).into_inner(), 3);
    /// ```
    pub fn into_inner(self) -> T {
        self.used_up();
        self.cell.load()
    }
}

impl<T: Element> Shared<T> {
    /// The running task of an explored run has read the value.
    fn show(&self) {
        ElementCell::show(std::slice::from_ref(&self.cell), self.location.start());
    }

    /// The running task sees the value, without an access.
    fn used_up(&self) {
        world::exclusive(self.location.start(), 1);
    }
}

impl<T: Element> Sealed for Shared<T> {
    fn extent(&self) -> (u64, u64) {
        self.location.extent()
    }
}

impl<T: Element + Default> Default for Shared<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: Element> From<T> for Shared<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: Element + fmt::Debug> fmt::Debug for Shared<T> {
    /// Shows the value without counting as a read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.used_up();
        f.debug_tuple("Shared").field(&self.cell.load()).finish()
    }
}
