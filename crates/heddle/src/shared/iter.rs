//! Iterators over shared elements and parts.

use super::{Element, SharedSlice};
use crate::context::{self, Strand};
use crate::sites::Caller;
use std::fmt;
use std::iter::FusedIterator;

/// The values of a range, from [`SharedSlice::iter`] and its kin.
///
/// The whole range counts as read by whoever makes the iterator, also if it is dropped half-way; and
/// what is left of it counts as read again by whoever goes on with it after a task operation.
///
/// ```
/// let v = heddle::SharedVec::from(vec![1, 2, 3]);
/// let mut iter = v.iter();
/// assert_eq!(iter.next_back(), Some(3));
/// assert_eq!(iter.len(), 2);
/// ```
#[derive(Clone)]
pub struct Iter<'a, T: Element> {
    rest: SharedSlice<'a, T>,
    /// The strand that has been checked for the rest.
    checked: Strand,
    caller: Caller,
}

impl<'a, T: Element> Iter<'a, T> {
    #[inline]
    pub(super) fn new(range: SharedSlice<'a, T>, caller: Caller) -> Self {
        range.note_read(caller);
        Self {
            rest: range,
            checked: context::strand(),
            caller,
        }
    }

    /// Checks the rest again if another strand has begun since.
    #[inline(always)]
    fn check(&mut self) {
        if context::strand() != self.checked {
            self.check_again();
        }
    }

    #[cold]
    fn check_again(&mut self) {
        self.rest.note_read(self.caller);
        self.checked = context::strand();
    }
}

impl<T: Element> Iterator for Iter<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        let (first, rest) = self.rest.split_first()?;
        self.check();
        self.rest = rest;
        Some(first.load())
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<T> {
        let skipped = n.min(self.rest.len());
        self.rest = self.rest.split_at(skipped).1;
        self.next()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.rest.len(), Some(self.rest.len()))
    }
}

impl<T: Element> DoubleEndedIterator for Iter<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        let (last, rest) = self.rest.split_last()?;
        self.check();
        self.rest = rest;
        Some(last.load())
    }
}

impl<T: Element> ExactSizeIterator for Iter<'_, T> {}
impl<T: Element> FusedIterator for Iter<'_, T> {}

impl<T: Element> fmt::Debug for Iter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Iter").field("len", &self.len()).finish()
    }
}

/// Parts of equal length, from [`SharedSlice::chunks`]. Making them is no access.
///
/// ```
/// let v = heddle::SharedVec::from(vec![1, 2, 3]);
/// let lengths: Vec<usize> = v.chunks(2).map(|part| part.len()).collect();
/// assert_eq!(lengths, [2, 1]);
/// ```
#[derive(Clone, Debug)]
pub struct Chunks<'a, T: Element> {
    rest: SharedSlice<'a, T>,
    size: usize,
}

impl<'a, T: Element> Chunks<'a, T> {
    pub(super) fn new(whole: SharedSlice<'a, T>, size: usize) -> Self {
        Self { rest: whole, size }
    }
}

impl<'a, T: Element> Iterator for Chunks<'a, T> {
    type Item = SharedSlice<'a, T>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let (part, rest) = self.rest.split_at(self.size.min(self.rest.len()));
        self.rest = rest;
        Some(part)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let parts = self.rest.len().div_ceil(self.size);
        (parts, Some(parts))
    }
}

impl<T: Element> ExactSizeIterator for Chunks<'_, T> {}
impl<T: Element> FusedIterator for Chunks<'_, T> {}
