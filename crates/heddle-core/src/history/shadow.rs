//! A table from locations to cells, paged so that sparse numbers cost no room.

use crate::id::{Extent, Location};
use rustc_hash::FxHashMap;

const PAGE_BITS: u32 = 10;
const PAGE: u64 = 1 << PAGE_BITS;
/// Pages below this number are found by index, the others by hash.
const NEAR: u64 = 1 << 20;

/// Cells by location. A cell nobody asked for yet is the default one.
#[derive(Debug)]
pub(super) struct Shadow<C> {
    near: Vec<Option<Box<[C]>>>,
    far: FxHashMap<u64, Box<[C]>>,
}

impl<C: Default + Clone> Shadow<C> {
    pub(super) fn new() -> Self {
        Self {
            near: Vec::new(),
            far: FxHashMap::default(),
        }
    }

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
        let (mut at, end) = (extent.start.0, extent.start.0.saturating_add(extent.len));
        while at < end {
            let page = at >> PAGE_BITS;
            let stop = end.min((page + 1) << PAGE_BITS);
            let cells = match page < NEAR {
                true => self.near.get_mut(page as usize).and_then(Option::as_mut),
                false => self.far.get_mut(&page),
            };
            if let Some(cells) = cells {
                let from = (at & (PAGE - 1)) as usize;
                cells[from..from + (stop - at) as usize].fill(C::default());
            }
            at = stop;
        }
    }
}
