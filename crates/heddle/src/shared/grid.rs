//! A shared array of two dimensions.

use super::{Element, Shared2dBlock, SharedSlice, SharedVec};
use crate::atomicity::sealed::Sealed;
use crate::sites::Caller;
use std::fmt;
use std::ops::{Add, RangeBounds};
use std::panic::Location;

/// Rows and columns of elements that tasks read and write.
///
/// ```
/// use heddle::{Shared2d, check, finish};
///
/// let grid = Shared2d::new(3, 4, 0.0);
/// check(|| {
///     finish(|s| {
///         for i in 0..grid.rows() {
///             let row = grid.row(i);
///             s.spawn(move |_| row.fill(.., 1.0));
///         }
///     });
/// })
/// .assert_clean();
/// ```
pub struct Shared2d<T: Element> {
    elements: SharedVec<T>,
    rows: usize,
    cols: usize,
}

impl<T: Element> Shared2d<T> {
    /// `rows` times `cols` zeros.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    ///
    /// ```
    /// assert_eq!(heddle::Shared2d::<u8>::zeroed(2, 3).get(1, 2), 0);
    /// ```
    #[track_caller]
    pub fn zeroed(rows: usize, cols: usize) -> Self {
        Self::new(rows, cols, T::zeroed())
    }

    /// `rows` times `cols` elements, each with this `value`.
    ///
    /// # Panics
    /// If that is more than memory can hold.
    ///
    /// ```
    /// assert_eq!(heddle::Shared2d::new(2, 3, 7).get(1, 2), 7);
    /// ```
    #[track_caller]
    pub fn new(rows: usize, cols: usize, value: T) -> Self {
        Self::labelled(
            vec![value; area(rows, cols)],
            rows,
            cols,
            Location::caller(),
        )
    }

    /// `rows` times `cols` elements, each what `f` makes of its row and column.
    ///
    /// ```
    /// assert_eq!(heddle::Shared2d::from_fn(2, 3, |i, j| 10 * i + j).get(1, 2), 12);
    /// ```
    #[track_caller]
    pub fn from_fn(rows: usize, cols: usize, mut f: impl FnMut(usize, usize) -> T) -> Self {
        let values = (0..area(rows, cols)).map(|at| f(at / cols, at % cols));
        Self::labelled(values.collect(), rows, cols, Location::caller())
    }

    /// The elements of `values`, row by row, `cols` in each.
    ///
    /// # Panics
    /// If that does not come out even.
    ///
    /// ```
    /// let grid = heddle::Shared2d::from_vec(vec![1, 2, 3, 4, 5, 6], 3);
    /// assert_eq!((grid.rows(), grid.get(1, 0)), (2, 4));
    /// ```
    #[track_caller]
    pub fn from_vec(values: Vec<T>, cols: usize) -> Self {
        let len = values.len();
        let rows = len.checked_div(cols).unwrap_or(0);
        assert!(rows * cols == len, "{len} elements in rows of {cols}");
        Self::labelled(values, rows, cols, Location::caller())
    }

    /// The same elements, which reports call by this name instead of by where they were made. An
    /// element is told by its number, row by row.
    ///
    /// ```
    /// use heddle::{Shared2d, check, par_for};
    /// let grid = Shared2d::new(2, 3, 0).named("grid");
    /// let report = check(|| par_for(0..2, |_| grid.set(1, 2, 5)));
    /// assert_eq!(report.races().next().unwrap().location.as_deref(), Some("grid[5]"));
    /// ```
    pub fn named(mut self, name: &'static str) -> Self {
        self.elements = self.elements.named(name);
        self
    }

    /// The same elements, checked for atomicity, each by itself. See
    /// [`Shared::atomic`](super::Shared::atomic).
    ///
    /// ```
    /// use heddle::{Shared2d, check, isolated, join};
    ///
    /// let grid = Shared2d::new(2, 2, 0).named("grid").atomic();
    /// let report = check(|| {
    ///     let twice = || {
    ///         isolated(|| grid.set(1, 0, 1));
    ///         isolated(|| grid.set(1, 0, 2));
    ///     };
    ///     join(twice, || isolated(|| grid.get(1, 0)));
    /// });
    /// assert_eq!(report.torn().next().unwrap().location.as_deref(), Some("grid[2]"));
    /// ```
    pub fn atomic(mut self) -> Self {
        self.elements = self.elements.atomic();
        self
    }

    fn labelled(values: Vec<T>, rows: usize, cols: usize, made_at: Caller) -> Self {
        let elements = SharedVec::labelled(values, "Shared2d", made_at);
        Self {
            elements,
            rows,
            cols,
        }
    }

    /// How many rows.
    ///
    /// ```
    /// assert_eq!(heddle::Shared2d::new(2, 3, 7).rows(), 2);
    /// ```
    #[inline]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many columns.
    ///
    /// ```
    /// assert_eq!(heddle::Shared2d::new(2, 3, 7).cols(), 3);
    /// ```
    #[inline]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Reads an element.
    ///
    /// # Panics
    /// As all accessors here: if out of bounds.
    ///
    /// ```
    /// assert_eq!(heddle::Shared2d::new(2, 3, 7).get(0, 1), 7);
    /// ```
    #[inline]
    #[track_caller]
    pub fn get(&self, row: usize, col: usize) -> T {
        self.elements.get(self.at(row, col))
    }

    /// Writes an element.
    ///
    /// ```
    /// let grid = heddle::Shared2d::new(2, 3, 0);
    /// grid.set(1, 1, 5);
    /// assert_eq!(grid.get(1, 1), 5);
    /// ```
    #[inline]
    #[track_caller]
    pub fn set(&self, row: usize, col: usize, value: T) {
        self.elements.set(self.at(row, col), value);
    }

    /// Reads an element and writes what `f` makes of it; not atomic.
    ///
    /// ```
    /// let grid = heddle::Shared2d::new(2, 3, 4);
    /// grid.update(0, 0, |x| x + 1);
    /// assert_eq!(grid.get(0, 0), 5);
    /// ```
    #[inline]
    #[track_caller]
    pub fn update(&self, row: usize, col: usize, f: impl FnOnce(T) -> T) {
        self.elements.update(self.at(row, col), f);
    }

    /// Adds to an element: a read and a write.
    ///
    /// ```
    /// let grid = heddle::Shared2d::new(2, 3, 4);
    /// grid.add(0, 0, 3);
    /// assert_eq!(grid.get(0, 0), 7);
    /// ```
    #[inline]
    #[track_caller]
    pub fn add(&self, row: usize, col: usize, value: T)
    where
        T: Add<Output = T>,
    {
        self.elements.add(self.at(row, col), value);
    }

    /// A row. No access.
    ///
    /// ```
    /// let grid = heddle::Shared2d::from_fn(2, 3, |i, j| 10 * i + j);
    /// assert_eq!(grid.row(1).to_vec(), [10, 11, 12]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn row(&self, row: usize) -> SharedSlice<'_, T> {
        assert!(row < self.rows, "row {row} of {} rows", self.rows);
        self.elements.slice(row * self.cols..(row + 1) * self.cols)
    }

    /// All elements, row by row. No access.
    ///
    /// ```
    /// let grid = heddle::Shared2d::from_fn(2, 2, |i, j| 10 * i + j);
    /// assert_eq!(grid.as_slice().to_vec(), [0, 1, 10, 11]);
    /// ```
    #[inline]
    pub fn as_slice(&self) -> SharedSlice<'_, T> {
        self.elements.as_slice()
    }

    /// Reads all, row by row.
    ///
    /// ```
    /// let grid = heddle::Shared2d::from_fn(2, 2, |i, j| 10 * i + j);
    /// assert_eq!(grid.to_vec(), [0, 1, 10, 11]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn to_vec(&self) -> Vec<T> {
        self.elements.to_vec()
    }

    /// The elements, row by row, to be used in place. Needs no check: the reference is exclusive.
    ///
    /// ```
    /// let mut grid = heddle::Shared2d::new(2, 2, 1);
    /// grid.as_mut_slice()[3] = 9;
    /// assert_eq!(grid.get(1, 1), 9);
    /// ```
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        self.elements.as_mut_slice()
    }

    /// The elements, row by row. Needs no check: nobody shares them any more.
    ///
    /// ```
    /// assert_eq!(heddle::Shared2d::new(1, 2, 5).into_vec(), [5, 5]);
    /// ```
    pub fn into_vec(self) -> Vec<T> {
        self.elements.into_vec()
    }

    /// A rectangular block: these rows and columns. No access.
    ///
    /// ```
    /// let grid = heddle::Shared2d::from_fn(4, 4, |i, j| 10 * i + j);
    /// let block = grid.block(2.., 1..3);
    /// assert_eq!(block.get(0, 0), 21);
    /// assert_eq!(block.row(1).to_vec(), [31, 32]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn block(
        &self,
        rows: impl RangeBounds<usize>,
        cols: impl RangeBounds<usize>,
    ) -> Shared2dBlock<'_, T> {
        Shared2dBlock::new(self, rows, cols)
    }

    /// The index of an element.
    #[inline(always)]
    #[track_caller]
    fn at(&self, row: usize, col: usize) -> usize {
        assert!(
            row < self.rows && col < self.cols,
            "({row}, {col}) of {} rows and {} columns",
            self.rows,
            self.cols
        );
        row * self.cols + col
    }
}

impl<T: Element> Sealed for Shared2d<T> {
    fn extent(&self) -> (u64, u64) {
        self.elements.extent()
    }
}

impl<T: Element + fmt::Debug> fmt::Debug for Shared2d<T> {
    /// Shows the rows without counting as a read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = (0..self.rows).map(|row| self.row(row));
        f.debug_list().entries(rows).finish()
    }
}

#[track_caller]
fn area(rows: usize, cols: usize) -> usize {
    rows.checked_mul(cols)
        .expect("rows times columns must be a number of elements")
}
