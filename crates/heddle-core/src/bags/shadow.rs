//! A table from locations to cells, paged so that sparse numbers cost no room.

use crate::id::{Extent, Location};
use rustc_hash::FxHashMap;

const PAGE_BITS: u32 = 8;
const PAGE: u64 = 1 << PAGE_BITS;
/// Pages below this number are found by index, the others by hash.
const NEAR: u64 = 1 << 18;

/// Cells by location. A cell nobody asked for yet is the default one.
#[derive(Debug)]
pub(super) struct Shadow<C> {
    near: Vec<Option<Box<[C]>>>,
    far: FxHashMap<u64, Box<[C]>>,
}

impl<C> Default for Shadow<C> {
    fn default() -> Self {
        Self {
            near: Vec::new(),
            far: FxHashMap::default(),
        }
    }
}

impl<C: Default + Clone> Shadow<C> {
    #[inline]
    pub(super) fn cell(&mut self, location: Location) -> &mut C {
        let (page, offset) = (location.0 >> PAGE_BITS, (location.0 & (PAGE - 1)) as usize);
        if self.near.get(page as usize).is_none_or(Option::is_none) {
            return &mut self.page_slow(page)[offset];
        }
        match &mut self.near[page as usize] {
            Some(cells) => &mut cells[offset],
            None => unreachable!("tested just above"),
        }
    }

    #[cold]
    fn page_slow(&mut self, page: u64) -> &mut [C] {
        if page >= NEAR {
            return self.far.entry(page).or_insert_with(Self::fresh);
        }
        if self.near.len() <= page as usize {
            self.near.resize_with(page as usize + 1, || None);
        }
        self.near[page as usize].get_or_insert_with(Self::fresh)
    }

    fn fresh() -> Box<[C]> {
        vec![C::default(); PAGE as usize].into_boxed_slice()
    }

    /// Makes the cells of these locations default ones.
    pub(super) fn clear(&mut self, extent: Extent) {
        let Some(last) = extent.start.0.checked_add(extent.len.saturating_sub(1)) else {
            return;
        };
        if extent.len == 0 {
            return;
        }
        let pages = extent.start.0 >> PAGE_BITS..=last >> PAGE_BITS;
        let near = (*pages.start()).min(self.near.len() as u64)
            ..(pages.end() + 1).min(self.near.len() as u64);
        for (page, cells) in
            (near.start..).zip(&mut self.near[near.start as usize..near.end as usize])
        {
            if let Some(cells) = cells {
                clear_part(cells, page, extent.start.0, last);
            }
        }
        for (&page, cells) in self.far.iter_mut().filter(|(page, _)| pages.contains(page)) {
            clear_part(cells, page, extent.start.0, last);
        }
    }
}

/// Clears the cells of `page` between the locations `first` and `last`.
fn clear_part<C: Default + Clone>(cells: &mut [C], page: u64, first: u64, last: u64) {
    let base = page << PAGE_BITS;
    let from = first.max(base) - base;
    let to = last.min(base | (PAGE - 1)) - base;
    cells[from as usize..=to as usize].fill(C::default());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(start: u64, len: u64) -> Extent {
        Extent::new(Location(start), len)
    }

    #[test]
    fn clearing_forgets_the_extent_and_nothing_else() {
        for start in [0, 250, NEAR * PAGE - 3, u64::MAX - 5] {
            let mut shadow = Shadow::<u8>::default();
            for offset in 0..6 {
                *shadow.cell(Location(start + offset)) = 7;
            }
            shadow.clear(extent(start + 1, 4));
            let cells: Vec<u8> = (0..6)
                .map(|offset| *shadow.cell(Location(start + offset)))
                .collect();
            assert_eq!(cells, [7, 0, 0, 0, 0, 7], "from {start}");
        }
    }

    #[test]
    fn clearing_everything_takes_no_longer_than_what_is_there() {
        let mut shadow = Shadow::<u8>::default();
        *shadow.cell(Location(u64::MAX - 1)) = 7;
        *shadow.cell(Location(5)) = 7;
        shadow.clear(extent(0, u64::MAX));
        assert_eq!(
            (
                *shadow.cell(Location(u64::MAX - 1)),
                *shadow.cell(Location(5))
            ),
            (0, 0)
        );
    }
}
