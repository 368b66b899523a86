//! Which three accesses cannot be put in a serial sequence: Fig. 4 of Yoga and Nagarakatte, *Atomicity
//! Violation Checker for Task Parallel Programs* (2016).
//!
//! Plain functions over plain data: every history, also one that many threads share, decides by these.

use crate::event::AccessKind::{self, Read, Write};

/// What the first and the last access of a triple do. Both are of one region.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Pattern {
    /// Both must see the same value.
    ReadRead,
    /// What is written depends on what was read.
    ReadWrite,
    /// What is read must be what was written.
    WriteRead,
    /// Nobody may see, or overwrite, what stands between the two.
    WriteWrite,
}

impl Pattern {
    /// All four.
    pub const ALL: [Self; 4] = [
        Self::ReadRead,
        Self::ReadWrite,
        Self::WriteRead,
        Self::WriteWrite,
    ];

    /// The pattern of these two accesses.
    pub const fn of(first: AccessKind, last: AccessKind) -> Self {
        match (first, last) {
            (Read, Read) => Self::ReadRead,
            (Read, Write) => Self::ReadWrite,
            (Write, Read) => Self::WriteRead,
            (Write, Write) => Self::WriteWrite,
        }
    }

    /// Whether an access by a parallel region between the two leaves no equivalent serial
    /// sequence. True of five of the eight triples.
    pub const fn is_torn_by(self, middle: AccessKind) -> bool {
        matches!((self, middle), (_, Write) | (Self::WriteWrite, Read))
    }

    /// Whether whatever tears `other` also tears this.
    pub const fn covers(self, other: Self) -> bool {
        matches!(self, Self::WriteWrite) || !matches!(other, Self::WriteWrite)
    }
}

/// Whether an access that does `one` tears whatever an access that does `other` tears.
pub const fn tears_at_least(one: AccessKind, other: AccessKind) -> bool {
    matches!((one, other), (Write, _) | (_, Read))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a serial sequence has the same conflicts: the middle access moves in front of the
    /// first or behind the last if it does not conflict with what it passes.
    fn is_serializable(first: AccessKind, middle: AccessKind, last: AccessKind) -> bool {
        let commutes = |other: AccessKind| middle == Read && other == Read;
        commutes(first) || commutes(last)
    }

    #[test]
    fn exactly_the_five_triples_of_figure_4_are_torn() {
        let kinds = [Read, Write];
        let mut torn = 0;
        for first in kinds {
            for middle in kinds {
                for last in kinds {
                    let is_torn = Pattern::of(first, last).is_torn_by(middle);
                    assert_eq!(is_torn, !is_serializable(first, middle, last));
                    torn += u32::from(is_torn);
                }
            }
        }
        assert_eq!(torn, 5);
    }

    #[test]
    fn a_pattern_covers_another_if_it_is_torn_by_no_less() {
        for one in Pattern::ALL {
            for other in Pattern::ALL {
                let no_less = [Read, Write]
                    .into_iter()
                    .all(|kind| !other.is_torn_by(kind) || one.is_torn_by(kind));
                assert_eq!(one.covers(other), no_less, "{one:?} {other:?}");
            }
        }
    }
}
