//! Which bytes a pair of source positions raced on, as rows of equal distances and as sets of bits.
//!
//! A loop makes a row, however many elements it has. Where there are too many rows, as of elements that come in no
//! order, the locations of a page become a set of bits for each shape of access: those of an array of integers take a
//! sixteenth of the array at most. Past a bound no page is added: then the count is a lower one.

mod strided;

use rustc_hash::FxHashMap;
pub(crate) use strided::Strided;

/// Pages that are kept, once for each shape of access.
const MOST: usize = 1 << 15;

/// Rows that are kept before they become bits.
const ROWS: usize = 2048;

/// Bytes of a location.
pub(crate) const GRANULE: u64 = 8;

/// Locations of a page.
const PAGE: u64 = 512;

type Bits = [u64; PAGE as usize / 64];

/// From the first of these bytes of a location to just past the last one.
pub(crate) fn bytes_of(location: u64, bytes: u8) -> (u64, u64) {
    let base = location.wrapping_mul(GRANULE);
    let bytes = if bytes == 0 { 1 } else { bytes };
    let from = base.wrapping_add(u64::from(bytes.trailing_zeros()));
    (
        from,
        base.wrapping_add(GRANULE - u64::from(bytes.leading_zeros())),
    )
}

/// See the module's documentation.
#[derive(Clone, Debug, Default)]
pub struct Spread {
    strided: Vec<Strided>,
    /// Row numbers by page and bytes of each location.
    rows: FxHashMap<(u64, u8), usize>,
    pages: Vec<((u64, u8), Bits)>,
    /// The row that was used last.
    last: usize,
}

impl Spread {
    /// Adds bytes of a location: those between its first and its last one.
    pub(crate) fn add(&mut self, location: u64, bytes: u8) {
        let (from, to) = bytes_of(location, bytes);
        self.add_range(from, to);
    }

    /// Adds the bytes from one to just before another.
    pub(crate) fn add_range(&mut self, from: u64, to: u64) {
        let size = to.saturating_sub(from);
        self.add_row(Strided {
            start: from,
            next: to,
            stride: size,
            size,
        });
    }

    /// Adds the elements of a row.
    pub(crate) fn add_row(&mut self, row: Strided) {
        match self.strided.last_mut() {
            Some(last) if last.goes_on_with(row) => last.next = row.next,
            Some(last) if *last == row => {}
            _ => self.strided.push(row),
        }
        if self.strided.len() > ROWS {
            self.flatten();
        }
    }

    /// Makes bits of all rows.
    fn flatten(&mut self) {
        for row in std::mem::take(&mut self.strided) {
            let row = row.ascending();
            if row.stride == row.size {
                self.set(row.start, row.next);
                continue;
            }
            let mut at = row.start;
            while at != row.next {
                self.set(at, at.wrapping_add(row.size));
                at = at.wrapping_add(row.stride);
            }
        }
    }

    /// Sets the bits of the bytes from one to just before another.
    fn set(&mut self, from: u64, to: u64) {
        let mut at = from;
        while at < to {
            let (location, skipped) = (at / GRANULE, at % GRANULE);
            if skipped == 0 && to - at >= GRANULE {
                at = self.set_whole(location, to / GRANULE) * GRANULE;
                continue;
            }
            let left = (location * GRANULE + GRANULE).saturating_sub(to);
            let mask = (0xffu8 << skipped) & (0xffu8 >> left);
            if let Some(bits) = self.bits(location / PAGE, mask) {
                let bit = location % PAGE;
                bits[bit as usize / 64] |= 1 << (bit % 64);
            }
            at = (location + 1) * GRANULE;
        }
    }

    /// Sets whole locations, as many as one word has bits for: the next one.
    fn set_whole(&mut self, first: u64, end: u64) -> u64 {
        let next = end.min(first / 64 * 64 + 64);
        if let Some(bits) = self.bits(first / PAGE, 0xff) {
            let ones = u64::MAX >> (64 - (next - first));
            bits[(first % PAGE) as usize / 64] |= ones << (first % 64);
        }
        next
    }

    /// The bits of a page for accesses to these bytes; none if there are too many pages.
    fn bits(&mut self, page: u64, mask: u8) -> Option<&mut Bits> {
        let key = (page, mask);
        if self.pages.get(self.last).is_none_or(|last| last.0 != key) {
            let next = self.pages.len();
            self.last = match self.rows.get(&key) {
                Some(&row) => row,
                None if next < MOST => {
                    self.rows.insert(key, next);
                    self.pages.push((key, Bits::default()));
                    next
                }
                None => return None,
            };
        }
        self.pages.get_mut(self.last).map(|(_, bits)| bits)
    }

    /// Adds all bytes of another.
    pub fn join(&mut self, other: &Self) {
        other.strided.iter().for_each(|row| self.add_row(*row));
        for &((page, mask), bits) in &other.pages {
            if let Some(own) = self.bits(page, mask) {
                own.iter_mut()
                    .zip(bits)
                    .for_each(|(own, bits)| *own |= bits);
            }
        }
    }

    /// How many bytes there are.
    pub fn len(&self) -> u64 {
        let counted = self.pages.is_empty().then(|| strided::len(&self.strided));
        if let Some(len) = counted.flatten() {
            return len;
        }
        let flat = self.flat();
        flat.by_page().map(|rows| count(&rows)).sum()
    }

    /// The same bytes, all as bits.
    fn flat(&self) -> Self {
        let mut flat = self.clone();
        flat.flatten();
        flat
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty() && self.strided.is_empty()
    }

    /// The bytes as ranges from one to just before another, ascending.
    pub fn ranges(&self) -> Vec<(u64, u64)> {
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        let flat = self.flat();
        for rows in flat.by_page() {
            let first = rows.first().map_or(0, |row| row.0.0) * PAGE * GRANULE;
            for byte in 0..PAGE * GRANULE {
                if !rows.iter().any(|row| has(row, byte)) {
                    continue;
                }
                let at = first + byte;
                match ranges.last_mut() {
                    Some(last) if last.1 == at => last.1 = at + 1,
                    _ => ranges.push((at, at + 1)),
                }
            }
        }
        ranges
    }

    /// The rows of each page, ascending.
    fn by_page(&self) -> impl Iterator<Item = Vec<&((u64, u8), Bits)>> {
        let mut pages: Vec<_> = self.pages.iter().collect();
        pages.sort_unstable_by_key(|row| row.0);
        let mut pages = pages.into_iter().peekable();
        std::iter::from_fn(move || {
            let first = pages.next()?;
            let mut rows = vec![first];
            while let Some(row) = pages.next_if(|row| row.0.0 == first.0.0) {
                rows.push(row);
            }
            Some(rows)
        })
    }
}

/// How many bytes of a page are in any of these rows.
fn count(rows: &[&((u64, u8), Bits)]) -> u64 {
    let mut count = 0;
    for byte in 0..GRANULE {
        let rows = rows.iter().filter(|row| row.0.1 >> byte & 1 == 1);
        let mut all = Bits::default();
        for (_, bits) in rows {
            all.iter_mut()
                .zip(bits)
                .for_each(|(all, bits)| *all |= bits);
        }
        count += all
            .iter()
            .map(|bits| u64::from(bits.count_ones()))
            .sum::<u64>();
    }
    count
}

/// Whether a byte of a page is in a row.
fn has(((_, mask), bits): &((u64, u8), Bits), byte: u64) -> bool {
    let location = byte / GRANULE;
    mask >> (byte % GRANULE) & 1 == 1 && bits[location as usize / 64] >> (location % 64) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_become_one_range_in_any_sequence() {
        let mut spread = Spread::default();
        for element in [0u64, 3, 1, 5, 4, 2] {
            let mask = if element % 2 == 0 { 0x0f } else { 0xf0 };
            spread.add(element / 2, mask);
            spread.add(element / 2, mask);
        }
        assert_eq!(spread.ranges(), [(0, 24)]);
        assert_eq!(spread.len(), 24);
    }

    #[test]
    fn gaps_stay_gaps_until_they_are_filled() {
        let mut spread = Spread::default();
        spread.add(0, 0xff);
        spread.add(4, 0xff);
        assert_eq!(spread.ranges(), [(0, 8), (32, 40)]);
        for location in [2, 1, 3] {
            spread.add(location, 0xff);
        }
        assert_eq!(spread.ranges(), [(0, 40)]);
    }

    #[test]
    fn the_bytes_are_those_of_the_set_of_bytes() {
        let (mut spread, mut other) = (Spread::default(), Spread::default());
        let mut bytes = std::collections::BTreeSet::new();
        let mut random = 1u64;
        for round in 0..5 * ROWS {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1);
            let (from, len) = ((random >> 33) % 30_000, 1 + (random >> 58));
            let one = if round % 3 == 0 {
                &mut other
            } else {
                &mut spread
            };
            one.add_range(from, from + len);
            bytes.extend(from..from + len);
        }
        spread.join(&other);
        assert_eq!(spread.len(), bytes.len() as u64);
        let held = spread.ranges().into_iter().flat_map(|(from, to)| from..to);
        assert!(held.eq(bytes));
    }

    #[test]
    fn rows_are_counted_as_their_elements_are() {
        let mut random = 7u64;
        let mut draw = |below: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1);
            (random >> 33) % below
        };
        for _ in 0..500 {
            let mut spread = Spread::default();
            let mut bytes = std::collections::BTreeSet::new();
            for _ in 0..1 + draw(4) {
                let (size, gap, count) = (1 + draw(8), draw(3) * draw(20), 1 + draw(30));
                let (start, stride) = (1000 + draw(200), size + gap);
                let elements = (0..count).map(|element| start + element * stride);
                bytes.extend(elements.flat_map(|from| from..from + size));
                let (last, end) = (start + (count - 1) * stride, start + count * stride);
                let (start, next, stride) = match draw(2) {
                    0 => (start, end, stride),
                    _ => (last, start.wrapping_sub(stride), stride.wrapping_neg()),
                };
                spread.add_row(Strided {
                    start,
                    next,
                    stride,
                    size,
                });
            }
            assert_eq!(spread.len(), bytes.len() as u64, "{spread:?}");
        }
    }

    #[test]
    fn members_of_a_large_array_are_all_counted() {
        let mut spread = Spread::default();
        (0..1_000_000).for_each(|element| spread.add_range(element * 24 + 8, element * 24 + 12));
        assert_eq!(spread.len(), 4_000_000);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut spread = Spread::default();
        (0..100_000).for_each(|page| spread.add(page * PAGE, 0xff));
        assert_eq!(spread.len(), 8 * MOST as u64);
    }
}
