//! A part of shared data: what all the accessors are made of.

use super::cell::ElementCell;
use super::{Chunks, Element, Iter};
use crate::atomicity::Declared;
use crate::atomicity::sealed::Sealed;
use crate::context;
use crate::explore::world;
use crate::locations;
use crate::sites::Caller;
use std::fmt;
use std::ops::{Add, RangeBounds};
use std::panic::Location;

/// A part of a [`SharedVec`](super::SharedVec) or of a row of a [`Shared2d`](super::Shared2d): a
/// reference that can be copied, split and given to tasks. Splitting is no access.
///
/// ```
/// use heddle::{SharedSlice, SharedVec, check, finish};
///
/// fn sum(part: SharedSlice<'_, u64>) -> u64 {
///     part.iter().sum()
/// }
///
/// let v = SharedVec::from(vec![1, 2, 3, 4]);
/// check(|| {
///     let (left, right) = v.as_slice().split_at(2);
///     finish(|s| {
///         s.spawn(|_| left.fill(.., 0));
///         s.spawn(|_| assert_eq!(sum(right), 7));
///     });
/// })
/// .assert_clean();
/// ```
pub struct SharedSlice<'a, T: Element> {
    cells: &'a [ElementCell<T>],
    /// The location of the first element.
    start: u64,
}

impl<T: Element> Clone for SharedSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Element> Copy for SharedSlice<'_, T> {}

impl<'a, T: Element> SharedSlice<'a, T> {
    #[inline(always)]
    pub(super) fn new(cells: &'a [ElementCell<T>], start: u64) -> Self {
        Self { cells, start }
    }

    /// How many elements.
    ///
    /// ```
    /// assert_eq!(heddle::SharedVec::new(5, 0).slice(1..).len(), 4);
    /// ```
    #[inline]
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether there is none.
    ///
    /// ```
    /// assert!(heddle::SharedVec::new(5, 0).slice(5..).is_empty());
    /// ```
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// These elements are checked for atomicity from now on, each by itself. See
    /// [`Shared::atomic`](super::Shared::atomic).
    ///
    /// ```
    /// use heddle::{SharedVec, check, isolated, join};
    ///
    /// let v = SharedVec::new(4, 0);
    /// v.slice(2..).atomic();
    /// let report = check(|| {
    ///     let add = |at| {
    ///         let seen = isolated(|| v.get(at));
    ///         isolated(|| v.set(at, seen + 1));
    ///     };
    ///     join(|| add(1), || add(1)); // not one of them
    ///     join(|| add(3), || add(3));
    /// });
    /// assert_eq!(report.torn().count(), 1);
    /// ```
    pub fn atomic(&self) {
        let (start, len) = self.extent();
        let group = None;
        if len > 0 {
            locations::declare(Declared { start, len, group });
        }
    }

    /// Reads an element.
    ///
    /// # Panics
    /// As all accessors here: if out of bounds.
    ///
    /// ```
    /// assert_eq!(heddle::SharedVec::from(vec![1, 2, 3]).slice(1..).get(0), 2);
    /// ```
    #[inline]
    #[track_caller]
    pub fn get(&self, index: usize) -> T {
        let cell = &self.cells[index];
        let start = self.start + index as u64;
        if context::read(start, 1, Location::caller()) {
            ElementCell::show(std::slice::from_ref(cell), start);
        }
        cell.load()
    }

    /// Writes an element.
    ///
    /// ```
    /// let v = heddle::SharedVec::from(vec![1, 2, 3]);
    /// v.slice(1..).set(0, 5);
    /// assert_eq!(v.to_vec(), [1, 5, 3]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn set(&self, index: usize, value: T) {
        let cell = &self.cells[index];
        let start = self.start + index as u64;
        let is_explored = context::write(start, 1, Location::caller());
        cell.store(value);
        if is_explored {
            ElementCell::tell(std::slice::from_ref(cell), start);
        }
    }

    /// Reads an element and writes what `f` makes of it; not atomic.
    ///
    /// ```
    /// let v = heddle::SharedVec::from(vec![1, 2, 3]);
    /// v.slice(1..).update(1, |x| x * 10);
    /// assert_eq!(v.to_vec(), [1, 2, 30]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn update(&self, index: usize, f: impl FnOnce(T) -> T) {
        let value = f(self.get(index));
        self.set(index, value);
    }

    /// Adds to an element: a read and a write.
    ///
    /// ```
    /// let v = heddle::SharedVec::from(vec![1, 2, 3]);
    /// v.slice(1..).add(0, 10);
    /// assert_eq!(v.to_vec(), [1, 12, 3]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn add(&self, index: usize, value: T)
    where
        T: Add<Output = T>,
    {
        let cell = &self.cells[index];
        let start = self.start + index as u64;
        if context::read(start, 1, Location::caller()) {
            world::unsee();
            ElementCell::show(std::slice::from_ref(cell), start);
        }
        self.set(index, cell.load() + value);
    }

    /// Swaps two elements: reads and writes both.
    ///
    /// ```
    /// let v = heddle::SharedVec::from(vec![1, 2, 3]);
    /// v.as_slice().swap(0, 2);
    /// assert_eq!(v.to_vec(), [3, 2, 1]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn swap(&self, i: usize, j: usize) {
        let (at_i, at_j) = (self.get(i), self.get(j));
        self.set(i, at_j);
        self.set(j, at_i);
    }

    /// A part of this part.
    ///
    /// ```
    /// let v = heddle::SharedVec::from(vec![1, 2, 3, 4]);
    /// assert_eq!(v.slice(1..).slice(1..=1).to_vec(), [3]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Self {
        let bounds = (range.start_bound().cloned(), range.end_bound().cloned());
        let cells = &self.cells[bounds];
        let skipped = match bounds.0 {
            std::ops::Bound::Included(first) => first,
            std::ops::Bound::Excluded(before) => before + 1,
            std::ops::Bound::Unbounded => 0,
        };
        Self::new(cells, self.start + skipped as u64)
    }

    /// The elements before `middle`, and those from there.
    ///
    /// ```
    /// let v = heddle::SharedVec::from(vec![1, 2, 3]);
    /// let (left, right) = v.as_slice().split_at(1);
    /// assert_eq!((left.len(), right.len()), (1, 2));
    /// ```
    #[inline]
    #[track_caller]
    pub fn split_at(&self, middle: usize) -> (Self, Self) {
        let (left, right) = self.cells.split_at(middle);
        let right = Self::new(right, self.start + middle as u64);
        (Self::new(left, self.start), right)
    }

    /// Parts of `size` elements each; the last may be shorter.
    ///
    /// # Panics
    /// If `size` is 0.
    ///
    /// ```
    /// use heddle::{SharedVec, check, finish};
    ///
    /// let v = SharedVec::new(10, 0);
    /// check(|| {
    ///     finish(|s| {
    ///         for part in v.as_slice().chunks(4) {
    ///             s.spawn(move |_| part.fill(.., 1));
    ///         }
    ///     });
    /// })
    /// .assert_clean();
    /// ```
    #[track_caller]
    pub fn chunks(&self, size: usize) -> Chunks<'a, T> {
        assert!(size != 0, "chunk size must be non-zero");
        Chunks::new(*self, size)
    }

    /// The values, all read at once; see [`Iter`].
    ///
    /// ```
    /// let v = heddle::SharedVec::from(vec![1, 2, 3]);
    /// assert_eq!(v.slice(1..).iter().sum::<i32>(), 5);
    /// ```
    #[inline]
    #[track_caller]
    pub fn iter(&self) -> Iter<'a, T> {
        Iter::new(*self, Location::caller())
    }

    /// The values of a range, all read at once.
    ///
    /// ```
    /// let v = heddle::SharedVec::from(vec![1, 2, 3]);
    /// assert!(v.as_slice().iter_range(..2).eq([1, 2]));
    /// ```
    #[inline]
    #[track_caller]
    pub fn iter_range(&self, range: impl RangeBounds<usize>) -> Iter<'a, T> {
        self.slice(range).iter()
    }

    /// Reads all.
    ///
    /// ```
    /// assert_eq!(heddle::SharedVec::from(vec![1, 2, 3]).slice(1..).to_vec(), [2, 3]);
    /// ```
    #[track_caller]
    pub fn to_vec(&self) -> Vec<T> {
        self.note_read(Location::caller());
        self.cells.iter().map(ElementCell::load).collect()
    }

    /// Reads a range into `to`.
    ///
    /// # Panics
    /// If the lengths differ.
    ///
    /// ```
    /// let mut two = [0; 2];
    /// heddle::SharedVec::from(vec![1, 2, 3]).as_slice().read_into(1.., &mut two);
    /// assert_eq!(two, [2, 3]);
    /// ```
    #[track_caller]
    pub fn read_into(&self, range: impl RangeBounds<usize>, to: &mut [T]) {
        let part = self.slice(range);
        part.same_len(to);
        part.note_read(Location::caller());
        for (to, cell) in to.iter_mut().zip(part.cells) {
            *to = cell.load();
        }
    }

    /// Writes a range from `from`.
    ///
    /// # Panics
    /// If the lengths differ.
    ///
    /// ```
    /// let v = heddle::SharedVec::from(vec![1, 2, 3]);
    /// v.as_slice().write_from(..2, &[8, 9]);
    /// assert_eq!(v.to_vec(), [8, 9, 3]);
    /// ```
    #[track_caller]
    pub fn write_from(&self, range: impl RangeBounds<usize>, from: &[T]) {
        let part = self.slice(range);
        part.same_len(from);
        let is_explored = part.note_write(Location::caller());
        for (cell, &value) in part.cells.iter().zip(from) {
            cell.store(value);
        }
        part.tell(is_explored);
    }

    /// Writes `value` to every element of a range.
    ///
    /// ```
    /// let v = heddle::SharedVec::from(vec![1, 2, 3]);
    /// v.as_slice().fill(1.., 0);
    /// assert_eq!(v.to_vec(), [1, 0, 0]);
    /// ```
    #[track_caller]
    pub fn fill(&self, range: impl RangeBounds<usize>, value: T) {
        let part = self.slice(range);
        let is_explored = part.note_write(Location::caller());
        part.cells.iter().for_each(|cell| cell.store(value));
        part.tell(is_explored);
    }

    /// Replaces every element of a range by what `f` makes of its index and value, in ascending order.
    /// The whole range counts as read and written at once.
    ///
    /// ```
    /// let v = heddle::SharedVec::from(vec![1, 2, 3]);
    /// v.as_slice().map_range(1.., |i, x| x + 10 * i as i32);
    /// assert_eq!(v.to_vec(), [1, 12, 23]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn map_range(&self, range: impl RangeBounds<usize>, mut f: impl FnMut(usize, T) -> T) {
        let caller = Location::caller();
        let mut rest = self.slice(range);
        let first = (rest.start - self.start) as usize;
        rest.note_update(caller);
        let mut checked = context::strand();
        for index in first..first + rest.len() {
            let value = f(index, rest.cells[0].load());
            if context::strand() != checked {
                rest.note_update(caller);
                checked = context::strand();
            }
            rest.cells[0].store(value);
            rest = rest.split_at(1).1;
        }
    }

    #[track_caller]
    fn same_len(&self, other: &[T]) {
        let (here, there) = (self.len(), other.len());
        assert!(
            here == there,
            "a range of {here} elements and a slice of {there}"
        );
    }

    #[inline(always)]
    pub(super) fn note_read(&self, caller: Caller) {
        if context::read(self.start, self.len() as u64, caller) {
            ElementCell::show(self.cells, self.start);
        }
    }

    #[inline(always)]
    fn note_write(&self, caller: Caller) -> bool {
        context::write(self.start, self.len() as u64, caller)
    }

    /// Tells an explored run what was written.
    #[inline(always)]
    fn tell(&self, is_explored: bool) {
        if is_explored {
            ElementCell::tell(self.cells, self.start);
        }
    }

    #[inline(always)]
    fn note_update(&self, caller: Caller) {
        self.note_read(caller);
        self.note_write(caller);
    }

    #[inline(always)]
    pub(super) fn split_first(&self) -> Option<(&'a ElementCell<T>, Self)> {
        let (first, rest) = self.cells.split_first()?;
        Some((first, Self::new(rest, self.start + 1)))
    }

    #[inline(always)]
    pub(super) fn split_last(&self) -> Option<(&'a ElementCell<T>, Self)> {
        let (last, rest) = self.cells.split_last()?;
        Some((last, Self::new(rest, self.start)))
    }
}

impl<T: Element> Sealed for SharedSlice<'_, T> {
    fn extent(&self) -> (u64, u64) {
        (self.start, self.cells.len() as u64)
    }
}

impl<'a, T: Element> IntoIterator for SharedSlice<'a, T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    #[track_caller]
    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T: Element + fmt::Debug> fmt::Debug for SharedSlice<'_, T> {
    /// Shows the elements without counting as a read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        world::exclusive(self.start, self.len() as u64);
        f.debug_list()
            .entries(self.cells.iter().map(ElementCell::load))
            .finish()
    }
}
