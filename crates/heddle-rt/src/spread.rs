//! Which bytes a pair of source positions raced on, as ranges.
//!
//! A loop that races on a million elements races on one range of them, or on one per thread, so ranges take little
//! where a set of elements would take much. Past a bound nothing more is added: then the count is a lower one.

use std::collections::BTreeMap;

/// Ranges that are kept.
const MOST: usize = 4096;

/// Bytes of a location.
pub(crate) const GRANULE: u64 = 8;

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
pub(crate) struct Spread {
    /// From the first byte of a range to just past its last one; no two touch.
    ranges: BTreeMap<u64, u64>,
}

impl Spread {
    /// Adds bytes of a location.
    pub(crate) fn add(&mut self, location: u64, bytes: u8) {
        let (from, to) = bytes_of(location, bytes);
        self.add_range(from, to);
    }

    /// Adds the bytes from one to just before another.
    pub(crate) fn add_range(&mut self, from: u64, to: u64) {
        let before = self.ranges.range(..=to).next_back();
        match before.map(|(&start, &end)| (start, end)) {
            Some((start, end)) if start <= from && to <= end => {}
            Some((_, end)) if end >= from => self.join(from, to),
            _ if self.ranges.len() < MOST => _ = self.ranges.insert(from, to),
            _ => {}
        }
    }

    /// Whether nothing more is added but next to what there is.
    pub(crate) fn is_full(&self) -> bool {
        self.ranges.len() >= MOST
    }

    /// Makes one of all ranges that these bytes touch.
    fn join(&mut self, mut from: u64, mut to: u64) {
        while let Some((&start, &end)) = self.ranges.range(..=to).next_back()
            && end >= from
        {
            self.ranges.remove(&start);
            (from, to) = (from.min(start), to.max(end));
        }
        self.ranges.insert(from, to);
    }

    /// The ranges, ascending.
    pub(crate) fn ranges(&self) -> Vec<(u64, u64)> {
        self.ranges.iter().map(|(&from, &to)| (from, to)).collect()
    }
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
    fn the_ranges_are_those_of_the_set_of_bytes() {
        let mut spread = Spread::default();
        let mut bytes = std::collections::BTreeSet::new();
        let mut random = 1u64;
        for _ in 0..2000 {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1);
            let (location, half) = ((random >> 33) % 300, (random >> 60) % 3);
            let mask = [0x0f, 0xf0, 0xff][half as usize];
            spread.add(location, mask);
            bytes.extend(
                (0..8)
                    .filter(|bit| mask >> bit & 1 == 1)
                    .map(|bit| location * 8 + bit),
            );
        }
        let held = spread.ranges().into_iter().flat_map(|(from, to)| from..to);
        assert!(held.eq(bytes));
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut spread = Spread::default();
        (0..100_000).for_each(|location| spread.add(location * 2, 0xff));
        assert_eq!(spread.ranges().len(), MOST);
    }
}
