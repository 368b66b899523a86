//! Why a file is not, or not wholly, a trace: as data, with the position and what was readable.

use std::error::Error;
use std::fmt;

use crate::block::VERSION;
use crate::reader::Trace;
use crate::violation::Violation;

/// A file that could not be read to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damaged<B = Vec<u8>> {
    /// Where in the file the damage was noticed.
    pub offset: u64,
    /// What is wrong there.
    pub what: Damage,
    /// What lies before it. Its events keep the rules, but need not come to a close.
    pub readable: Box<Trace<B>>,
}

/// What is wrong with a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Damage {
    /// The file does not start like a trace.
    NotATrace,
    /// A trace of a format this reader does not know.
    UnknownVersion(u16),
    /// The header's checksum is wrong, or it announces unknown features.
    Header,
    /// The file ends in the middle.
    Truncated,
    /// A block's checksum is wrong.
    Checksum,
    /// A block of a kind this version does not have.
    UnknownBlock(u8),
    /// A block is missing, repeated or out of sequence: it starts at this event instead of the next.
    OutOfSequence(u64),
    /// A block's contents cannot be decoded although its checksum is right.
    Malformed(Malformed),
    /// An event breaks the rules of a stream.
    Violation(Violation),
    /// The closing totals do not fit what the file holds.
    WrongTotals,
    /// There is something behind the closing block.
    TrailingBytes,
}

/// Why a sequence of bytes does not decode.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Malformed {
    /// The bytes end inside an item.
    CutShort,
    /// A number has more bits than its item can hold.
    NumberTooLarge,
    /// A number is spelt with superfluous zero bytes.
    NumberPadded,
    /// A text is not UTF-8.
    NotUtf8,
    /// No event has this tag.
    UnknownTag(u8),
    /// No variant of a task kind, an awaited thing or a fault has this number.
    UnknownVariant(u8),
    /// A source position names a file the legend lacks, counts from 0, or ends before it starts.
    BadSite,
    /// Bytes are left over at the end of a block.
    LeftOver,
}

impl<B> fmt::Display for Damaged<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.offset, self.what)
    }
}

impl<B: fmt::Debug> Error for Damaged<B> {}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotATrace => write!(f, "this is not a Heddle trace"),
            Self::UnknownVersion(found) => write!(
                f,
                "the trace has format version {found}; this Heddle reads version {VERSION} only"
            ),
            Self::Header => write!(f, "the header is damaged"),
            Self::Truncated => write!(f, "the file is cut short"),
            Self::Checksum => write!(f, "the block that starts here is damaged (wrong checksum)"),
            Self::UnknownBlock(kind) => write!(f, "unknown kind of block ({kind})"),
            Self::OutOfSequence(first) => {
                write!(
                    f,
                    "the block that starts here is out of sequence (it holds events from {first})"
                )
            }
            Self::Malformed(malformed) => malformed.fmt(f),
            Self::Violation(violation) => violation.fmt(f),
            Self::WrongTotals => write!(f, "the closing totals do not fit what the file holds"),
            Self::TrailingBytes => write!(f, "there is something behind the end of the trace"),
        }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CutShort => write!(f, "an item is cut short by the end of its block"),
            Self::NumberTooLarge => write!(f, "a number is too large"),
            Self::NumberPadded => write!(f, "a number is spelt with superfluous bytes"),
            Self::NotUtf8 => write!(f, "a text is not UTF-8"),
            Self::UnknownTag(tag) => write!(f, "no event has the tag {tag:#04x}"),
            Self::UnknownVariant(number) => write!(f, "no variant has the number {number}"),
            Self::BadSite => write!(f, "a source position makes no sense"),
            Self::LeftOver => write!(f, "bytes are left over at the end of a block"),
        }
    }
}

impl From<Malformed> for Damage {
    fn from(malformed: Malformed) -> Self {
        Self::Malformed(malformed)
    }
}

impl From<Violation> for Damage {
    fn from(violation: Violation) -> Self {
        Self::Violation(violation)
    }
}
