//! Rows of elements at equal distances, and how many bytes several of them have together.
//!
//! A loop makes few rows, however many elements it has, so they are counted without looking at an element: rows of
//! one distance whose elements lie alike become one where they touch, and what is left is either apart for certain
//! (by its bounds, or by where its elements lie between two multiples of the distance) or not counted here.

/// Rows that are compared with each other.
const MOST: usize = 256;

/// Elements at equal distances.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Strided {
    /// The first byte of the first element.
    pub(crate) start: u64,
    /// Where the element after the last one would be.
    pub(crate) next: u64,
    /// How far it is from one element to the next; it wraps around where they descend.
    pub(crate) stride: u64,
    /// Bytes of an element.
    pub(crate) size: u64,
}

impl Strided {
    /// Whether `other` goes on where this one ends.
    pub(super) fn goes_on_with(self, other: Self) -> bool {
        (self.next, self.stride, self.size) == (other.start, other.stride, other.size)
    }

    /// The same bytes, ascending; those without gaps as elements of one byte.
    pub(super) fn ascending(self) -> Self {
        let back = self.stride.wrapping_neg();
        let row = match back < self.stride {
            true => Self {
                start: self.next.wrapping_add(back),
                next: self.start.wrapping_add(back),
                stride: back,
                ..self
            },
            false => self,
        };
        match row.stride == row.size {
            true => Self {
                stride: 1,
                size: 1,
                ..row
            },
            false => row,
        }
    }

    /// Where its elements lie between two multiples of the distance.
    fn phase(self) -> u64 {
        self.start % self.stride.max(1)
    }

    /// How many bytes it has; for one that ascends, with elements that do not overlap.
    fn len(self) -> u64 {
        self.next.saturating_sub(self.start) / self.stride.max(1) * self.size
    }

    /// Whether no byte of it is in `other`, as far as that is seen without looking at elements; for two that ascend.
    fn is_apart_from(self, other: Self) -> bool {
        let is_before = |one: Self, other: Self| one.next - one.stride + one.size <= other.start;
        let lies_between = |one: Self, other: Self| {
            let (stride, phase) = (one.stride, one.phase());
            let ahead = (other.phase() + stride - phase) % stride;
            one.stride == other.stride && ahead >= one.size && ahead + other.size <= stride
        };
        is_before(self, other) || is_before(other, self) || lies_between(self, other)
    }
}

/// How many bytes these rows have together; none if that cannot be seen without looking at elements.
pub(super) fn len(rows: &[Strided]) -> Option<u64> {
    let mut rows: Vec<_> = rows.iter().map(|row| row.ascending()).collect();
    let is_plain = |row: &Strided| row.size <= row.stride && row.start < row.next;
    if !rows.iter().all(is_plain) {
        return None;
    }
    rows.sort_unstable_by_key(|row| (row.stride, row.size, row.phase(), row.start));
    rows.dedup_by(|later, row| {
        let alike = |row: &Strided| (row.stride, row.size, row.phase());
        let touches = alike(later) == alike(row) && later.start <= row.next;
        if touches {
            row.next = row.next.max(later.next);
        }
        touches
    });
    let mut all = rows.iter().enumerate();
    let are_apart = rows.len() <= MOST
        && all.all(|(at, row)| {
            let mut others = rows[at + 1..].iter();
            others.all(|other| row.is_apart_from(*other))
        });
    are_apart.then(|| rows.iter().map(|row| row.len()).sum())
}
