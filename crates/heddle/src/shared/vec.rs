//! A shared array of one dimension.

use super::cell::ElementCell;
use super::{Chunks, Element, Iter, SharedSlice};
use crate::atomicity::sealed::Sealed;
use crate::explore::world;
use crate::locations::Locations;
use crate::sites::Caller;
use std::fmt;
use std::ops::{Add, RangeBounds};
use std::panic::Location;

/// A fixed number of elements that tasks read and write.
///
/// ```
/// use heddle::{SharedVec, check, finish};
///
/// let v = SharedVec::new(4, 0u32);
/// let report = check(|| {
///     finish(|s| {
///         s.spawn(|_| v.set(2, 1));
///         s.spawn(|_| v.fill(..3, 7));
///     });
/// });
/// assert_eq!(report.races().count(), 1);
/// ```
pub struct SharedVec<T: Element> {
    cells: Box<[ElementCell<T>]>,
    locations: Locations,
}

impl<T: Element> SharedVec<T> {
    /// `len` zeros.
    ///
    /// ```
    /// assert_eq!(heddle::SharedVec::<f64>::zeroed(2).to_vec(), [0.0, 0.0]);
    /// ```
    #[track_caller]
    pub fn zeroed(len: usize) -> Self {
        Self::new(len, T::zeroed())
    }

    /// `len` elements, each with this `value`.
    ///
    /// ```
    /// assert_eq!(heddle::SharedVec::new(3, 1.5).to_vec(), [1.5, 1.5, 1.5]);
    /// ```
    #[track_caller]
    pub fn new(len: usize, value: T) -> Self {
        Self::from(vec![value; len])
    }

    /// `len` elements, each what `f` makes of its index.
    ///
    /// ```
    /// assert_eq!(heddle::SharedVec::from_fn(3, |i| i * i).to_vec(), [0, 1, 4]);
    /// ```
    #[track_caller]
    pub fn from_fn(len: usize, f: impl FnMut(usize) -> T) -> Self {
        Self::from(Vec::from_iter((0..len).map(f)))
    }

    /// The elements of a value that reports call a `kind`.
    pub(super) fn labelled(elements: Vec<T>, kind: &'static str, made_at: Caller) -> Self {
        let locations = Locations::labelled(elements.len(), kind, made_at);
        let cells = ElementCell::from_elements(elements.into_boxed_slice());
        Self { cells, locations }
    }

    /// The same elements, which reports call by this name instead of by where they were made.
    ///
    /// ```
    /// use heddle::{SharedVec, check, par_for};
    /// let sums = SharedVec::new(3, 0).named("sums");
    /// let report = check(|| par_for(0..2, |_| sums.set(1, 5)));
    /// assert_eq!(report.races().next().unwrap().location.as_deref(), Some("sums[1]"));
    /// ```
    pub fn named(mut self, name: &'static str) -> Self {
        self.locations.rename(name);
        self
    }

    /// The same elements, checked for atomicity, each by itself. See
    /// [`Shared::atomic`](super::Shared::atomic), and [`AtomicGroup`](crate::AtomicGroup) for elements
    /// that belong together.
    ///
    /// ```
    /// use heddle::{SharedVec, check, isolated, par_for};
    ///
    /// let bins = SharedVec::new(2, 0).named("bins").atomic();
    /// let report = check(|| {
    ///     par_for(0..3, |i| {
    ///         let seen = isolated(|| bins.get(i / 2));
    ///         isolated(|| bins.set(i / 2, seen + 1));
    ///     });
    /// });
    /// assert_eq!(report.torn().next().unwrap().location.as_deref(), Some("bins[0]"));
    /// ```
    pub fn atomic(self) -> Self {
        self.locations.declare(None);
        self
    }

    /// All elements, as a part that can be copied, split and given to tasks. No access.
    ///
    /// ```
    /// assert_eq!(heddle::SharedVec::new(3, 1).as_slice().len(), 3);
    /// ```
    #[inline(always)]
    pub fn as_slice(&self) -> SharedSlice<'_, T> {
        SharedSlice::new(&self.cells, self.locations.start())
    }

    /// The elements, to be used in place. Needs no check: the reference is exclusive.
    ///
    /// ```
    /// let mut v = heddle::SharedVec::from(vec![3, 1, 2]);
    /// v.as_mut_slice().sort();
    /// assert_eq!(v.to_vec(), [1, 2, 3]);
    /// ```
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        self.used_up();
        ElementCell::as_elements(&mut self.cells)
    }

    /// The elements. Needs no check: nobody shares them any more.
    ///
    /// ```
    /// assert_eq!(heddle::SharedVec::new(2, 1).into_vec(), vec![1, 1]);
    /// ```
    pub fn into_vec(self) -> Vec<T> {
        self.used_up();
        ElementCell::into_elements(self.cells).into_vec()
    }

    /// The running task sees all elements, without an access.
    fn used_up(&self) {
        world::exclusive(self.locations.start(), self.len() as u64);
    }

    /// How many elements.
    ///
    /// ```
    /// assert_eq!(heddle::SharedVec::new(5, 0).len(), 5);
    /// ```
    #[inline]
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether there is none.
    ///
    /// ```
    /// assert!(heddle::SharedVec::<u8>::default().is_empty());
    /// ```
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Reads an element.
    ///
    /// # Panics
    /// As all accessors here: if out of bounds.
    ///
    /// ```
    /// let v = heddle::SharedVec::from(vec![1, 2, 3]);
    /// assert_eq!(v.get(1), 2);
    /// ```
    #[inline]
    #[track_caller]
    pub fn get(&self, index: usize) -> T {
        self.as_slice().get(index)
    }

    /// Writes an element.
    ///
    /// ```
    /// let v = heddle::SharedVec::from(vec![1, 2, 3]);
    /// v.set(1, 5);
    /// assert_eq!(v.get(1), 5);
    /// ```
    #[inline]
    #[track_caller]
    pub fn set(&self, index: usize, value: T) {
        self.as_slice().set(index, value);
    }

    /// Reads an element and writes what `f` makes of it; not atomic.
    ///
    /// ```
    /// let v = heddle::SharedVec::from(vec![1, 2, 3]);
    /// v.update(1, |x| x * 10);
    /// assert_eq!(v.get(1), 20);
    /// ```
    #[inline]
    #[track_caller]
    pub fn update(&self, index: usize, f: impl FnOnce(T) -> T) {
        self.as_slice().update(index, f);
    }

    /// Adds to an element: a read and a write.
    ///
    /// ```
    /// let v = heddle::SharedVec::from(vec![1, 2, 3]);
    /// v.add(1, 10);
    /// assert_eq!(v.get(1), 12);
    /// ```
    #[inline]
    #[track_caller]
    pub fn add(&self, index: usize, value: T)
    where
        T: Add<Output = T>,
    {
        self.as_slice().add(index, value);
    }

    /// Swaps two elements: reads and writes both.
    ///
    /// ```
    /// let v = heddle::SharedVec::from(vec![1, 2, 3]);
    /// v.swap(0, 2);
    /// assert_eq!(v.to_vec(), [3, 2, 1]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn swap(&self, i: usize, j: usize) {
        self.as_slice().swap(i, j);
    }

    /// A part of the elements. No access.
    ///
    /// ```
    /// let v = heddle::SharedVec::from(vec![1, 2, 3]);
    /// assert_eq!(v.slice(1..).get(0), 2);
    /// ```
    #[inline]
    #[track_caller]
    pub fn slice(&self, range: impl RangeBounds<usize>) -> SharedSlice<'_, T> {
        self.as_slice().slice(range)
    }

    /// Parts of `size` elements each; the last may be shorter. No access.
    ///
    /// # Panics
    /// If `size` is 0.
    ///
    /// ```
    /// let v = heddle::SharedVec::from(vec![1, 2, 3]);
    /// assert_eq!(v.chunks(2).map(|part| part.len()).collect::<Vec<_>>(), [2, 1]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn chunks(&self, size: usize) -> Chunks<'_, T> {
        self.as_slice().chunks(size)
    }

    /// The values, all read at once; see [`Iter`].
    ///
    /// ```
    /// let v = heddle::SharedVec::from(vec![1, 2, 3]);
    /// assert_eq!(v.iter().sum::<i32>(), 6);
    /// ```
    #[inline]
    #[track_caller]
    pub fn iter(&self) -> Iter<'_, T> {
        self.as_slice().iter()
    }

    /// The values of a range, all read at once.
    ///
    /// ```
    /// let v = heddle::SharedVec::from(vec![1, 2, 3]);
    /// assert!(v.iter_range(1..).eq([2, 3]));
    /// ```
    #[inline]
    #[track_caller]
    pub fn iter_range(&self, range: impl RangeBounds<usize>) -> Iter<'_, T> {
        self.as_slice().iter_range(range)
    }

    /// Reads all.
    ///
    /// ```
    /// let v = heddle::SharedVec::from(vec![1, 2, 3]);
    /// assert_eq!(v.to_vec(), [1, 2, 3]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn to_vec(&self) -> Vec<T> {
        self.as_slice().to_vec()
    }

    /// Reads a range into `to`.
    ///
    /// # Panics
    /// If the lengths differ.
    ///
    /// ```
    /// let v = heddle::SharedVec::from(vec![1, 2, 3]);
    /// let mut two = [0; 2];
    /// v.read_into(..2, &mut two);
    /// assert_eq!(two, [1, 2]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn read_into(&self, range: impl RangeBounds<usize>, to: &mut [T]) {
        self.as_slice().read_into(range, to);
    }

    /// Writes a range from `from`.
    ///
    /// # Panics
    /// If the lengths differ.
    ///
    /// ```
    /// let v = heddle::SharedVec::from(vec![1, 2, 3]);
    /// v.write_from(1.., &[8, 9]);
    /// assert_eq!(v.to_vec(), [1, 8, 9]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn write_from(&self, range: impl RangeBounds<usize>, from: &[T]) {
        self.as_slice().write_from(range, from);
    }

    /// Writes `value` to every element of a range.
    ///
    /// ```
    /// let v = heddle::SharedVec::from(vec![1, 2, 3]);
    /// v.fill(.., 4);
    /// assert_eq!(v.to_vec(), [4, 4, 4]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn fill(&self, range: impl RangeBounds<usize>, value: T) {
        self.as_slice().fill(range, value);
    }

    /// Replaces every element of a range by what `f` makes of its index and value, in ascending order.
    /// The whole range counts as read and written at once.
    ///
    /// ```
    /// let v = heddle::SharedVec::from(vec![1, 2, 3]);
    /// v.map_range(.., |i, x| x * i as i32);
    /// assert_eq!(v.to_vec(), [0, 2, 6]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn map_range(&self, range: impl RangeBounds<usize>, f: impl FnMut(usize, T) -> T) {
        self.as_slice().map_range(range, f);
    }
}

impl<T: Element> Sealed for SharedVec<T> {
    fn extent(&self) -> (u64, u64) {
        self.locations.extent()
    }
}

impl<T: Element> From<Vec<T>> for SharedVec<T> {
    #[track_caller]
    fn from(elements: Vec<T>) -> Self {
        Self::labelled(elements, "SharedVec", Location::caller())
    }
}

impl<T: Element> From<&[T]> for SharedVec<T> {
    #[track_caller]
    fn from(elements: &[T]) -> Self {
        Self::from(elements.to_vec())
    }
}

impl<T: Element, const N: usize> From<[T; N]> for SharedVec<T> {
    #[track_caller]
    fn from(elements: [T; N]) -> Self {
        Self::from(elements.to_vec())
    }
}

impl<T: Element> FromIterator<T> for SharedVec<T> {
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        Self::from(Vec::from_iter(elements))
    }
}

impl<T: Element> Default for SharedVec<T> {
    #[track_caller]
    fn default() -> Self {
        Self::from(Vec::new())
    }
}

impl<'a, T: Element> IntoIterator for &'a SharedVec<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    #[track_caller]
    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T: Element + fmt::Debug> fmt::Debug for SharedVec<T> {
    /// Shows the elements without counting as a read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(f)
    }
}
