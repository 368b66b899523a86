//! What must be atomic: data that belongs together, and blocks of code.
//!
//! A program without races can still be wrong: a task reads, then writes what follows from it, and in between
//! another task has written. Where data is declared atomic, the checker reports two accesses of one strand between
//! which an access of a parallel task can come such that no serial sequence explains the three. Locks
//! help if one is held without a break from the first access to the last, and at the one in between.

use crate::context;
use crate::locations::{self, Locations};
use crate::sites::Caller;
use heddle_core::GroupId;
use std::panic::Location;
use std::sync::atomic::{AtomicU32, Ordering};

/// Locations that are checked for atomicity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Declared {
    pub(crate) start: u64,
    pub(crate) len: u64,
    /// What they are one with; without a group each is for itself.
    pub(crate) group: Option<GroupId>,
}

/// Shared data that belongs together: who reads or writes one part of it and then another, in one strand, must not be
/// interrupted by others.
///
/// ```
/// use heddle::{AtomicGroup, Mutex, Shared, check, join};
///
/// let lock = Mutex::new(());
/// let (low, high) = (Shared::new(1).named("low"), Shared::new(9).named("high"));
/// AtomicGroup::new().with(&low).with(&high);
///
/// let set = |value: &Shared<i32>, to| {
///     let _guard = lock.lock().unwrap();
///     value.set(to);
/// };
/// let width = || {
///     let _guard = lock.lock().unwrap();
///     high.get() - low.get()
/// };
/// let report = check(|| {
///     let shift = || {
///         set(&low, 11);
///         set(&high, 19); // `width` can see the new `low` and the old `high`
///     };
///     join(shift, width);
/// });
/// let torn = report.torn().next().unwrap();
/// assert_eq!(torn.location.as_deref(), Some("low,high"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct AtomicGroup(GroupId);

impl AtomicGroup {
    /// A group without members.
    ///
    /// ```
    /// let _nobody = heddle::AtomicGroup::new();
    /// ```
    #[expect(clippy::new_without_default, reason = "each is another group")]
    pub fn new() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        Self(GroupId::new(MADE.fetch_add(1, Ordering::Relaxed) + 1))
    }

    /// Adds a member, until it is dropped. What was in another group, or atomic for itself, is now in this one.
    ///
    /// ```
    /// use heddle::{AtomicGroup, Shared, SharedVec};
    /// let (len, items) = (Shared::new(0), SharedVec::new(8, 0));
    /// AtomicGroup::new().with(&len).with(&items);
    /// ```
    pub fn with(self, member: &impl Member) -> Self {
        let (start, len) = member.extent();
        let group = Some(self.0);
        if len > 0 {
            locations::declare(Declared { start, len, group });
        }
        self
    }
}

/// Data that can be declared atomic: [`Shared`](crate::Shared), [`SharedVec`](crate::SharedVec),
/// [`SharedSlice`](crate::SharedSlice), [`Shared2d`](crate::Shared2d).
///
/// ```
/// use heddle::{AtomicGroup, Member, Shared};
///
/// fn together(parts: &[impl Member]) {
///     let group = AtomicGroup::new();
///     for part in parts {
///         group.with(part);
///     }
/// }
/// together(&[Shared::new(1), Shared::new(2)]);
/// ```
pub trait Member: sealed::Sealed {}

impl<T: sealed::Sealed> Member for T {}

pub(crate) mod sealed {
    /// What has locations.
    pub trait Sealed {
        /// The first, and how many.
        fn extent(&self) -> (u64, u64);
    }
}

impl Locations {
    /// As a [`Member`] says it.
    pub(crate) fn extent(&self) -> (u64, u64) {
        (self.start(), self.len())
    }
}

/// Runs `body` as one atomic region, also if it spawns tasks and waits for them.
///
/// By default a region is what a task does between two of its task operations. A block can be longer, or shorter:
/// what lies before and behind it are other regions. A block inside a block is part of it.
///
/// ```
/// use heddle::{Shared, atomically, check, finish, isolated};
///
/// let count = Shared::new(0).atomic();
/// let report = check(|| {
///     finish(|s| {
///         s.spawn(|s| {
///             atomically(|| {
///                 let seen = isolated(|| count.get());
///                 s.spawn(|_| ());
///                 isolated(|| count.set(seen + 1));
///             })
///         });
///         s.spawn(|_| isolated(|| count.set(7)));
///     });
/// });
/// assert_eq!(report.torn().count(), 1);
/// ```
#[track_caller]
pub fn atomically<R>(body: impl FnOnce() -> R) -> R {
    let _block = Block::enter(Location::caller());
    body()
}

/// A block that is left when this is dropped, also by a panic.
struct Block(Caller);

impl Block {
    fn enter(caller: Caller) -> Self {
        context::block_begin(caller);
        Self(caller)
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        context::block_end(self.0);
    }
}
