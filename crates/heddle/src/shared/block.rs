//! Rectangular blocks of a shared array of two dimensions.

use super::{Element, Shared2d, SharedSlice};
use std::fmt;
use std::ops::{Bound, Range, RangeBounds};

/// A rectangular block of a [`Shared2d`], from [`Shared2d::block`]. Rows and columns count from the
/// block's corner.
///
/// ```
/// use heddle::{Shared2d, check, finish};
///
/// let grid = Shared2d::new(4, 4, 0);
/// check(|| {
///     finish(|s| {
///         for (i, j) in [(0, 0), (0, 2), (2, 0), (2, 2)] {
///             let block = grid.block(i..i + 2, j..j + 2);
///             s.spawn(move |_| block.fill(1));
///         }
///     });
/// })
/// .assert_clean();
/// ```
pub struct Shared2dBlock<'a, T: Element> {
    grid: &'a Shared2d<T>,
    rows: Range<usize>,
    cols: Range<usize>,
}

impl<T: Element> Clone for Shared2dBlock<'_, T> {
    fn clone(&self) -> Self {
        Self {
            grid: self.grid,
            rows: self.rows.clone(),
            cols: self.cols.clone(),
        }
    }
}

impl<'a, T: Element> Shared2dBlock<'a, T> {
    /// These rows and columns of a grid.
    #[inline]
    #[track_caller]
    pub(super) fn new(
        grid: &'a Shared2d<T>,
        rows: impl RangeBounds<usize>,
        cols: impl RangeBounds<usize>,
    ) -> Self {
        Self {
            grid,
            rows: within(rows, grid.rows()),
            cols: within(cols, grid.cols()),
        }
    }

    /// How many rows.
    ///
    /// ```
    /// assert_eq!(heddle::Shared2d::new(4, 4, 0).block(1..3, ..).rows(), 2);
    /// ```
    #[inline]
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// How many columns.
    ///
    /// ```
    /// assert_eq!(heddle::Shared2d::new(4, 4, 0).block(.., 3..).cols(), 1);
    /// ```
    #[inline]
    pub fn cols(&self) -> usize {
        self.cols.len()
    }

    /// A row of the block. No access.
    ///
    /// ```
    /// let grid = heddle::Shared2d::from_fn(3, 3, |i, j| 10 * i + j);
    /// assert_eq!(grid.block(1.., 1..).row(0).to_vec(), [11, 12]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn row(&self, row: usize) -> SharedSlice<'a, T> {
        assert!(row < self.rows(), "row {row} of {} rows", self.rows());
        self.grid
            .row(self.rows.start + row)
            .slice(self.cols.clone())
    }

    /// Reads an element.
    ///
    /// ```
    /// let grid = heddle::Shared2d::from_fn(3, 3, |i, j| 10 * i + j);
    /// assert_eq!(grid.block(1.., 1..).get(1, 0), 21);
    /// ```
    #[inline]
    #[track_caller]
    pub fn get(&self, row: usize, col: usize) -> T {
        self.row(row).get(col)
    }

    /// Writes an element.
    ///
    /// ```
    /// let grid = heddle::Shared2d::new(3, 3, 0);
    /// grid.block(1.., 1..).set(0, 1, 5);
    /// assert_eq!(grid.get(1, 2), 5);
    /// ```
    #[inline]
    #[track_caller]
    pub fn set(&self, row: usize, col: usize, value: T) {
        self.row(row).set(col, value);
    }

    /// Reads an element and writes what `f` makes of it; not atomic.
    ///
    /// ```
    /// let grid = heddle::Shared2d::new(3, 3, 2);
    /// grid.block(1.., 1..).update(0, 0, |x| x * 3);
    /// assert_eq!(grid.get(1, 1), 6);
    /// ```
    #[inline]
    #[track_caller]
    pub fn update(&self, row: usize, col: usize, f: impl FnOnce(T) -> T) {
        self.row(row).update(col, f);
    }

    /// Writes `value` to every element, row by row.
    ///
    /// ```
    /// let grid = heddle::Shared2d::new(2, 2, 0);
    /// grid.block(.., 1..).fill(5);
    /// assert_eq!(grid.as_slice().to_vec(), [0, 5, 0, 5]);
    /// ```
    #[track_caller]
    pub fn fill(&self, value: T) {
        for row in 0..self.rows() {
            self.row(row).fill(.., value);
        }
    }

    /// Reads all, row by row.
    ///
    /// ```
    /// let grid = heddle::Shared2d::from_fn(3, 3, |i, j| 10 * i + j);
    /// assert_eq!(grid.block(1.., 1..).to_vec(), [11, 12, 21, 22]);
    /// ```
    #[track_caller]
    pub fn to_vec(&self) -> Vec<T> {
        let mut values = Vec::with_capacity(self.rows() * self.cols());
        for row in 0..self.rows() {
            values.extend(self.row(row).iter());
        }
        values
    }

    /// A block of this block. No access.
    ///
    /// ```
    /// let grid = heddle::Shared2d::from_fn(4, 4, |i, j| 10 * i + j);
    /// assert_eq!(grid.block(1.., 1..).block(1.., 1..).get(0, 0), 22);
    /// ```
    #[track_caller]
    pub fn block(&self, rows: impl RangeBounds<usize>, cols: impl RangeBounds<usize>) -> Self {
        let (rows, cols) = (within(rows, self.rows()), within(cols, self.cols()));
        let (row, col) = (self.rows.start, self.cols.start);
        Self {
            grid: self.grid,
            rows: row + rows.start..row + rows.end,
            cols: col + cols.start..col + cols.end,
        }
    }
}

impl<T: Element + fmt::Debug> fmt::Debug for Shared2dBlock<'_, T> {
    /// Shows the rows without counting as a read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = (0..self.rows()).map(|row| self.row(row));
        f.debug_list().entries(rows).finish()
    }
}

/// The range as indices below `len`.
#[inline]
#[track_caller]
fn within(range: impl RangeBounds<usize>, len: usize) -> Range<usize> {
    let start = match range.start_bound() {
        Bound::Included(&first) => first,
        Bound::Excluded(&before) => before + 1,
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(&last) => last + 1,
        Bound::Excluded(&end) => end,
        Bound::Unbounded => len,
    };
    assert!(
        start <= end && end <= len,
        "range {start}..{end} of {len} indices"
    );
    start..end
}
