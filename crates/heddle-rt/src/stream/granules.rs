//! Numbers for the locations of a stream, so dense that the engine's shadow memory has room for them.
//!
//! A stream's locations are addresses, or whatever else its front end numbers. Locations below [`NEAR`] keep their
//! number. Others are numbered page by page, in the sequence in which pages are touched.

use heddle_core::{Extent, Location};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ops::Range;

/// Locations below this keep their number. The shadow memory of numbered granules has twice the room.
const NEAR: u64 = 1 << 37;
const PAGE: u64 = 1 << 12;

/// Granules that follow each other.
pub(super) type Ranges = SmallVec<[Range<u64>; 2]>;

/// See the module's documentation.
#[derive(Debug, Default)]
pub(super) struct Granules {
    /// Far pages, by their number.
    rows: FxHashMap<u64, u64>,
    /// The other way round.
    pages: Vec<u64>,
}

impl Granules {
    /// The granules of an extent, if they follow each other and it is known at once.
    #[inline]
    pub(super) fn only(&self, extent: Extent) -> Option<Range<u64>> {
        let start = extent.start.0;
        let end = start.checked_add(extent.len)?;
        (end <= NEAR).then_some(start..end)
    }

    /// The granules of an extent, numbered now if need be.
    pub(super) fn ranges(&mut self, extent: Extent) -> Ranges {
        let rows = &mut self.rows;
        let pages = &mut self.pages;
        ranges(extent, |page| {
            Some(*rows.entry(page).or_insert_with(|| {
                pages.push(page);
                pages.len() as u64 - 1
            }))
        })
    }

    /// Those that have numbers.
    pub(super) fn known_ranges(&self, extent: Extent) -> Ranges {
        let Extent { start, len } = extent;
        if len / PAGE <= self.pages.len() as u64 {
            return ranges(extent, |page| self.rows.get(&page).copied());
        }
        let near = start.0.min(NEAR)..start.0.saturating_add(len).min(NEAR);
        let far = self.rows.iter().flat_map(|(&page, &row)| {
            let first = page * PAGE;
            let from = start.0.max(first);
            let to = start.0.saturating_add(len).min(first.saturating_add(PAGE));
            (from < to).then(|| {
                let base = NEAR + row * PAGE;
                base + (from - first)..base + (to - first)
            })
        });
        let near = Some(near).filter(|near| !near.is_empty());
        near.into_iter().chain(far).collect()
    }

    /// The location of a granule.
    pub(super) fn location(&self, granule: u64) -> Location {
        let Some(far) = granule.checked_sub(NEAR) else {
            return Location(granule);
        };
        let page = self.pages.get((far / PAGE) as usize);
        Location(page.map_or(granule, |page| page * PAGE + far % PAGE))
    }
}

/// The granules of an extent, where far pages have the rows that `row` says.
fn ranges(extent: Extent, mut row: impl FnMut(u64) -> Option<u64>) -> Ranges {
    let mut ranges = Ranges::new();
    let end = extent.start.0.saturating_add(extent.len);
    let mut at = extent.start.0;
    if at < NEAR {
        ranges.push(at..end.min(NEAR));
        at = NEAR;
    }
    while at < end {
        let page = at / PAGE;
        let to = end.min((page + 1).saturating_mul(PAGE));
        if let Some(row) = row(page) {
            let start = NEAR + row * PAGE + at % PAGE;
            ranges.push(start..start + (to - at));
        }
        at = to;
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(start: u64, len: u64) -> Extent {
        Extent::new(Location(start), len)
    }

    fn locations(granules: &Granules, ranges: &[Range<u64>]) -> Vec<u64> {
        let all = ranges.iter().cloned().flatten();
        all.map(|granule| granules.location(granule).0).collect()
    }

    #[test]
    fn every_location_is_found_again_wherever_it_lies() {
        let mut granules = Granules::default();
        for start in [0, NEAR - 3, NEAR + 2 * PAGE - 3, 1 << 47, u64::MAX - 9] {
            let extent = extent(start, 8);
            let ranges = granules.ranges(extent);
            let expected: Vec<u64> = (start..start + 8).collect();
            assert_eq!(locations(&granules, &ranges), expected);
            assert_eq!(granules.known_ranges(extent), ranges);
        }
    }

    #[test]
    fn an_extent_that_is_not_touched_has_no_far_numbers() {
        let mut granules = Granules::default();
        let far = 5 * NEAR;
        granules.ranges(extent(far, 1));
        let all = granules.known_ranges(extent(0, u64::MAX));
        assert_eq!(all[0], 0..NEAR);
        assert_eq!(all.len(), 2);
        assert!(all[1].contains(&granules.ranges(extent(far, 1))[0].start));
    }
}
