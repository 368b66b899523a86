//! One writer and one reader: enough for a serial depth-first run of a structured program.
//!
//! Feng and Leiserson, *Efficient Detection of Determinacy Races in Cilk Programs* (1997). The paper
//! of Raman et al. shows the rule as its Fig. 4 (missing from some printings):
//!
//! - read by `t`: race if the writer is parallel; if the reader precedes `t`, reader := `t`;
//! - write by `t`: race if the reader or the writer is parallel; writer := `t`.
//!
//! A parallel reader is kept rather than replaced: in depth-first sequence, what is parallel with
//! a later reader that is itself parallel with the kept one is parallel with the kept one too.
//! Deviation: detection goes on after the first race.

use super::shadow::Shadow;
use super::{Bags, History, Side, Slot};
use crate::id::Extent;

#[derive(Clone, Copy, Default, Debug)]
struct Cell {
    writer: Slot,
    reader: Slot,
}

/// See the module's documentation.
#[derive(Debug, Default)]
pub struct OneReader {
    cells: Shadow<Cell>,
}

impl History for OneReader {
    #[inline]
    fn read(&mut self, extent: Extent, _: Side, order: &mut Bags) -> bool {
        let now = Slot::new(order.strand());
        let mut is_racy = false;
        for location in extent.locations() {
            let cell = self.cells.cell(location);
            if cell.reader != now && cell.writer != now {
                is_racy |= cell.writer.is_parallel(order);
                if !cell.reader.is_parallel(order) {
                    cell.reader = now;
                }
            }
        }
        is_racy
    }

    #[inline]
    fn write(&mut self, extent: Extent, _: Side, order: &mut Bags) -> bool {
        let now = Slot::new(order.strand());
        let mut is_racy = false;
        for location in extent.locations() {
            let cell = self.cells.cell(location);
            if cell.writer != now {
                is_racy |= cell.writer.is_parallel(order)
                    || cell.reader != now && cell.reader.is_parallel(order);
                cell.writer = now;
            }
        }
        is_racy
    }

    fn forget(&mut self, extent: Extent) {
        self.cells.clear(extent);
    }
}
