//! Which bytes one thread has added to those of a pair of positions.

#[cfg(not(feature = "shuttle"))]
use crate::spread::GRANULE;
use crate::spread::{Spread, Strided};
use crate::sync::Ordering;
use std::sync::atomic::{AtomicU64, AtomicUsize};

/// Rows that a meter has room for.
const ROOM: usize = 64;

/// The bytes that one thread has added to those of a pair of positions since the last drain. Only the thread itself adds.
///
/// A loop touches elements at equal distances. Such a row is its first element, where the next one is expected and how
/// far that is from the last, so that adding the expected one is an addition: the common path in assembly makes it
/// (`hooks.s` in `heddle-native`), and knows the first two words.
#[derive(Debug)]
#[repr(C)]
pub struct Meter {
    open: Row,
    len: AtomicUsize,
    rows: [Row; ROOM],
    /// The pair of positions, the lower one first.
    sites: (u32, u32),
}

#[derive(Debug, Default)]
#[repr(C)]
struct Row {
    /// Where the next element is expected.
    next: AtomicU64,
    stride: AtomicU64,
    start: AtomicU64,
    /// Bytes of an element; none if there is no row.
    size: AtomicU64,
}

impl Row {
    fn words(&self) -> [u64; 4] {
        [&self.next, &self.stride, &self.start, &self.size].map(|word| word.load(Ordering::Acquire))
    }

    fn set(&self, [next, stride, start, size]: [u64; 4]) {
        // Whoever reads it meanwhile finds no row.
        self.size.store(0, Ordering::Release);
        self.next.store(next, Ordering::Release);
        self.stride.store(stride, Ordering::Release);
        self.start.store(start, Ordering::Release);
        self.size.store(size, Ordering::Release);
    }

    /// Adds its bytes to others.
    fn add_to(&self, spread: &mut Spread) {
        let [next, stride, start, size] = self.words();
        if size > 0 {
            spread.add_row(Strided {
                start,
                next,
                stride,
                size,
            });
        }
    }
}

impl Meter {
    /// One of a pair of positions, the lower one first.
    pub(crate) fn new(sites: (u32, u32)) -> Self {
        Self {
            open: Row::default(),
            len: AtomicUsize::new(0),
            rows: std::array::from_fn(|_| Row::default()),
            sites,
        }
    }

    /// Its pair of positions.
    pub(crate) fn sites(&self) -> (u32, u32) {
        self.sites
    }

    pub(crate) fn has_room(&self) -> bool {
        self.len.load(Ordering::Relaxed) < ROOM
    }

    /// Adds an element, from its first byte to just past its last one. There must be room.
    pub(super) fn add(&self, from: u64, to: u64) {
        let [next, stride, start, size] = self.open.words();
        let is_alike = size == to.wrapping_sub(from);
        if is_alike && from == next {
            self.open
                .next
                .store(next.wrapping_add(stride), Ordering::Release);
        } else if is_alike && next == start.wrapping_add(stride) && from != start {
            // The second element says how far they are apart.
            let stride = from.wrapping_sub(start);
            let next = from.wrapping_add(stride);
            self.open.set([next, stride, start, size]);
        } else if !is_alike || from != next.wrapping_sub(stride) {
            self.begin(from, to.wrapping_sub(from), to);
        }
    }

    #[cfg(not(feature = "shuttle"))]
    /// Adds granules that follow each other. There must be room.
    pub(super) fn add_granules(&self, from: u64, to: u64) {
        let [next, stride, _, size] = self.open.words();
        match (stride, size, next) == (GRANULE, GRANULE, from) {
            true => self.open.next.store(to, Ordering::Release),
            false => self.begin(from, GRANULE, to),
        }
    }

    /// Begins a row whose elements follow each other, up to `next`.
    fn begin(&self, start: u64, size: u64, next: u64) {
        let open = self.open.words();
        let len = self.len.load(Ordering::Relaxed);
        if let Some(row) = self.rows.get(len).filter(|_| open[3] != 0) {
            row.set(open);
            self.len.store(len + 1, Ordering::Release);
        }
        self.open.set([next, size, start, size]);
    }

    /// Adds what was added here to others.
    pub(crate) fn add_to(&self, spread: &mut Spread) {
        let rows = &self.rows[..self.len.load(Ordering::Acquire)];
        let rows = rows.iter().chain([&self.open]);
        rows.for_each(|row| row.add_to(spread));
    }

    /// Forgets what was added; for the thread itself.
    pub(crate) fn clear(&self) {
        self.open.set([0; 4]);
        self.len.store(0, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(meter: &Meter) -> Vec<(u64, u64)> {
        let mut spread = Spread::default();
        meter.add_to(&mut spread);
        spread.ranges()
    }

    #[test]
    fn a_meter_has_what_was_added_in_whatever_sequence() {
        let sequences: [&[u64]; 5] = [
            &[0, 1, 2, 3, 4],
            &[4, 3, 2, 1, 0],
            &[0, 2, 4, 1, 3],
            &[3, 3, 0, 1, 2, 2, 4],
            &[0, 3, 1, 4, 2],
        ];
        for elements in sequences {
            let meter = Meter::new((5, 7));
            for element in elements {
                meter.add(400 + element * 4, 404 + element * 4);
            }
            assert_eq!(bytes(&meter), [(400, 420)], "{elements:?}");
        }
    }

    #[test]
    fn a_row_of_members_is_one_row_with_gaps() {
        let meter = Meter::new((5, 7));
        for element in 0..1000 {
            meter.add(element * 32, element * 32 + 8);
        }
        assert!(meter.has_room());
        assert_eq!(bytes(&meter).len(), 1000);
        assert_eq!(bytes(&meter)[999], (999 * 32, 999 * 32 + 8));
    }

    #[test]
    fn elements_of_other_sizes_and_whole_granules_begin_rows() {
        let meter = Meter::new((5, 7));
        meter.add(0, 8);
        meter.add(8, 12);
        meter.add_granules(16, 80);
        meter.add_granules(80, 96);
        assert_eq!(bytes(&meter), [(0, 12), (16, 96)]);
        meter.clear();
        assert!(bytes(&meter).is_empty());
    }

    #[test]
    fn a_full_meter_says_so() {
        let meter = Meter::new((5, 7));
        let mut added = 0;
        while meter.has_room() && added < 10_000 {
            added += 1;
            meter.add(added * added * 8, added * added * 8 + 8);
        }
        assert!(added < 10_000);
    }
}
