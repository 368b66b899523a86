//! The frame of a trace file: a header, then blocks, each with its length and checksum, so that
//! damage is noticed before anything is decoded and is located to a block.

use std::ops::Range;

use heddle_core::Features;

use crate::damage::Damage;

/// The format version this crate writes and reads.
pub const VERSION: u16 = 1;

/// The line ending shows at once when a file went through a text-mode transfer.
const MAGIC: [u8; 8] = *b"HEDDLE\r\n";
/// Magic, version, features, checksum.
pub const HEADER_LEN: usize = 16;
/// Kind, length, checksum.
pub const BLOCK_HEADER_LEN: usize = 9;
/// What of a block's header lies under its checksum.
const CHECKED_HEADER_LEN: usize = 5;

/// What a block holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockKind {
    /// A stretch of the event stream.
    Events,
    /// The legend, replacing any earlier one.
    Legend,
    /// One free-form note: key and value.
    Note,
    /// The totals; nothing follows.
    End,
}

impl BlockKind {
    const ALL: [(Self, u8); 4] = [
        (Self::Events, b'E'),
        (Self::Legend, b'L'),
        (Self::Note, b'N'),
        (Self::End, b'Z'),
    ];

    fn byte(self) -> u8 {
        match self {
            Self::Events => b'E',
            Self::Legend => b'L',
            Self::Note => b'N',
            Self::End => b'Z',
        }
    }

    fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(_, b)| *b == byte)
            .map(|(kind, _)| *kind)
    }
}

/// A block whose checksum is right.
pub struct Block {
    /// What it holds.
    pub kind: BlockKind,
    /// Where in the file its contents lie.
    pub payload: Range<usize>,
}

/// The first bytes of a file.
pub fn header(features: &Features) -> [u8; HEADER_LEN] {
    let mut header = [0; HEADER_LEN];
    header[..8].copy_from_slice(&MAGIC);
    header[8..10].copy_from_slice(&VERSION.to_le_bytes());
    header[10..12].copy_from_slice(&feature_bits(features).to_le_bytes());
    let checksum = crc32fast::hash(&header[..12]);
    header[12..].copy_from_slice(&checksum.to_le_bytes());
    header
}

/// Reads the header. The version is looked at before the checksum: another version may have
/// another header.
pub fn read_header(bytes: &[u8]) -> Result<Features, Damage> {
    let start = &bytes[..bytes.len().min(MAGIC.len())];
    if start.is_empty() || !MAGIC.starts_with(start) {
        return Err(Damage::NotATrace);
    }
    let version = u16::from_le_bytes(array(bytes, 8)?);
    if version != VERSION {
        return Err(Damage::UnknownVersion(version));
    }
    let bits = u16::from_le_bytes(array(bytes, 10)?);
    let checksum = u32::from_le_bytes(array(bytes, 12)?);
    if checksum != crc32fast::hash(&bytes[..12]) {
        return Err(Damage::Header);
    }
    features(bits).ok_or(Damage::Header)
}

/// Reserves the header of a block at the end of `out`; [`close`] fills it in.
pub fn open(out: &mut Vec<u8>) {
    out.extend_from_slice(&[0; BLOCK_HEADER_LEN]);
}

/// Fills in the header of the one block in `block`. `None` if it is too long for the format.
pub fn close(block: &mut [u8], kind: BlockKind) -> Option<()> {
    let len = u32::try_from(block.len().checked_sub(BLOCK_HEADER_LEN)?).ok()?;
    block[0] = kind.byte();
    block[1..5].copy_from_slice(&len.to_le_bytes());
    let checksum = checksum(block);
    block[5..9].copy_from_slice(&checksum.to_le_bytes());
    Some(())
}

/// The block that starts at `start`, checked.
pub fn block_at(bytes: &[u8], start: usize) -> Result<Block, Damage> {
    let payload = payload_at(bytes, start).ok_or(Damage::Truncated)?;
    let block = &bytes[start..payload.end];
    if u32::from_le_bytes(array(block, 5)?) != checksum(block) {
        return Err(Damage::Checksum);
    }
    let kind = BlockKind::from_byte(block[0]).ok_or(Damage::UnknownBlock(block[0]))?;
    Ok(Block { kind, payload })
}

/// What is left of the contents of an event block that the end of the file cuts short.
pub fn cut_events(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let first = start.checked_add(BLOCK_HEADER_LEN)?;
    let is_events = BlockKind::from_byte(*bytes.get(start)?) == Some(BlockKind::Events);
    let is_cut = first < bytes.len() && payload_at(bytes, start).is_none();
    (is_events && is_cut).then_some(first..bytes.len())
}

/// Makes every checksum in `bytes` right, as far as the block lengths make sense. For tests and
/// fuzzers that want to see what lies behind the checksums.
pub fn reseal(bytes: &mut [u8]) {
    if bytes.len() >= HEADER_LEN {
        let checksum = crc32fast::hash(&bytes[..12]);
        bytes[12..16].copy_from_slice(&checksum.to_le_bytes());
    }
    let mut at = HEADER_LEN;
    while let Some(payload) = payload_at(bytes, at) {
        let checksum = checksum(&bytes[at..payload.end]);
        bytes[at + 5..at + 9].copy_from_slice(&checksum.to_le_bytes());
        at = payload.end;
    }
}

/// Where the contents of the block at `start` lie, if it lies wholly inside the file.
fn payload_at(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let len = u32::from_le_bytes(array(bytes, start.checked_add(1)?).ok()?);
    let first = start.checked_add(BLOCK_HEADER_LEN)?;
    let end = first.checked_add(usize::try_from(len).ok()?)?;
    (end <= bytes.len()).then_some(first..end)
}

/// The checksum of a whole block: everything but the checksum itself.
fn checksum(block: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&block[..CHECKED_HEADER_LEN]);
    hasher.update(&block[BLOCK_HEADER_LEN..]);
    hasher.finalize()
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N], Damage> {
    let rest = bytes.get(at..).ok_or(Damage::Truncated)?;
    rest.first_chunk().copied().ok_or(Damage::Truncated)
}

fn feature_bits(features: &Features) -> u16 {
    let Features {
        extra_edges,
        scope_handles,
        isolated,
        locks,
        choices,
        cuts,
        atomics,
    } = *features;
    let flags = [
        extra_edges,
        scope_handles,
        isolated,
        locks,
        choices,
        cuts,
        atomics,
    ];
    flags
        .iter()
        .enumerate()
        .map(|(bit, set)| u16::from(*set) << bit)
        .sum()
}

/// `None` if a bit is set that stands for nothing.
fn features(bits: u16) -> Option<Features> {
    let has = |bit: u16| bits >> bit & 1 == 1;
    let features = Features {
        extra_edges: has(0),
        scope_handles: has(1),
        isolated: has(2),
        locks: has(3),
        choices: has(4),
        cuts: has(5),
        atomics: has(6),
    };
    (feature_bits(&features) == bits).then_some(features)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_survive_the_header_and_unknown_ones_are_refused() {
        for bits in 0..1 << 7 {
            let set = features(bits).expect("seven features");
            assert_eq!(read_header(&header(&set)), Ok(set));
        }
        assert_eq!(features(1 << 7), None);
    }

    #[test]
    fn a_later_version_is_named_even_if_its_header_differs() {
        let mut bytes = header(&Features::default());
        bytes[8] = 2;
        let error = read_header(&bytes).unwrap_err();
        assert_eq!(error, Damage::UnknownVersion(2));
        assert!(
            error.to_string().contains("reads version 1 only"),
            "{error}"
        );
    }

    #[test]
    fn the_beginning_of_a_trace_is_truncated_and_anything_else_is_no_trace() {
        let header = header(&Features::default());
        for len in 1..HEADER_LEN {
            assert_eq!(read_header(&header[..len]), Err(Damage::Truncated));
        }
        assert_eq!(read_header(b""), Err(Damage::NotATrace));
        assert_eq!(read_header(b"HEDDLE\n"), Err(Damage::NotATrace));
        assert_eq!(read_header(b"finish { }"), Err(Damage::NotATrace));
    }

    #[test]
    fn every_block_kind_survives_its_byte() {
        for (kind, byte) in BlockKind::ALL {
            assert_eq!(kind.byte(), byte);
            assert_eq!(BlockKind::from_byte(byte), Some(kind));
        }
    }
}
