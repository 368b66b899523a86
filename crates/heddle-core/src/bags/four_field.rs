//! A writer and a reader outside isolated bodies, and a writer and a reader inside them.
//!
//! Raman et al., *Efficient Data Race Detection for Async-Finish Parallelism*, section 5 and Fig. 6.
//! Isolated accesses exclude each other, so each access is compared with the fields it can race
//! with only. This finds whether a program whose only mutual exclusion is isolated has a race.

use super::shadow::Shadow;
use super::{Bags, History, Side, Slot};
use crate::id::Extent;

#[derive(Clone, Copy, Default, Debug)]
struct Cell {
    plain: Fields,
    isolated: Fields,
}

#[derive(Clone, Copy, Default, Debug)]
struct Fields {
    writer: Slot,
    reader: Slot,
}

impl Cell {
    fn side(&mut self, side: Side) -> &mut Fields {
        match side {
            Side::Plain => &mut self.plain,
            Side::Isolated => &mut self.isolated,
        }
    }
}

/// See the module's documentation.
#[derive(Debug, Default)]
pub struct FourField {
    cells: Shadow<Cell>,
}

impl History for FourField {
    #[inline]
    fn read(&mut self, extent: Extent, side: Side, order: &mut Bags) -> bool {
        let now = Slot::new(order.strand());
        let mut is_racy = false;
        for location in extent.locations() {
            let cell = self.cells.cell(location);
            if cell.side(side).reader == now {
                continue;
            }
            is_racy |= cell.plain.writer.is_parallel(order)
                || side == Side::Plain && cell.isolated.writer.is_parallel(order);
            replace_if_preceding(&mut cell.side(side).reader, now, order);
        }
        is_racy
    }

    #[inline]
    fn write(&mut self, extent: Extent, side: Side, order: &mut Bags) -> bool {
        let now = Slot::new(order.strand());
        let mut is_racy = false;
        for location in extent.locations() {
            let cell = self.cells.cell(location);
            if cell.side(side).writer == now {
                continue;
            }
            is_racy |= is_parallel(cell.plain, order)
                || side == Side::Plain && is_parallel(cell.isolated, order);
            match side {
                Side::Plain => cell.plain.writer = now,
                Side::Isolated => replace_if_preceding(&mut cell.isolated.writer, now, order),
            }
        }
        is_racy
    }

    fn forget(&mut self, extent: Extent) {
        self.cells.clear(extent);
    }
}

fn is_parallel(fields: Fields, order: &mut Bags) -> bool {
    fields.writer.is_parallel(order) || fields.reader.is_parallel(order)
}

/// A parallel earlier access stands for this one too.
fn replace_if_preceding(slot: &mut Slot, now: Slot, order: &mut Bags) {
    if !slot.is_parallel(order) {
        *slot = now;
    }
}
