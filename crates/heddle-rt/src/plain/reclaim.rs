//! Finds rows that no location refers to.

use super::{FORM, Plains, READ, ROW, Row, SLOTS, Single, TWO, WRITE};
use crate::states::StateId;
use crate::store::{Idle, Store};

/// What was unused the last time.
#[derive(Debug, Default)]
pub(crate) struct IdleRows([Idle; 3]);

/// The blocks of rows that are referred to.
#[derive(Debug)]
pub(crate) struct UsedRows([Vec<bool>; 3]);

impl UsedRows {
    pub(crate) fn new(plains: &Plains) -> Self {
        Self([
            vec![false; plains.singles.blocks()],
            vec![false; plains.twos.blocks()],
            vec![false; plains.rows.blocks()],
        ])
    }

    /// A location is in this state.
    pub(crate) fn note(&mut self, state: StateId) {
        let row = state.0 & !FORM;
        let (table, block) = match state.0 & FORM {
            WRITE | READ => (0, Store::<Single>::block_of(row)),
            ROW if row & TWO != 0 => (1, Store::<Row<2>>::block_of(row & !TWO)),
            ROW => (2, Store::<Row<SLOTS>>::block_of(row)),
            _ => return,
        };
        if let Some(used) = block.and_then(|block| self.0[table].get_mut(block)) {
            *used = true;
        }
    }
}

impl Plains {
    /// Bytes of rows made since unused ones were last looked for.
    pub(crate) fn taken_bytes(&self) -> usize {
        self.singles.taken_bytes() + self.twos.taken_bytes() + self.rows.taken_bytes()
    }

    /// Rows of blocks that were unused last time and are now may be used again.
    pub(crate) fn reuse(&self, idle: &mut IdleRows, used: &UsedRows) {
        let [singles, twos, rows] = &mut idle.0;
        let is_used = |table: usize| move |block: usize| used.0[table][block];
        self.singles.reuse(singles, is_used(0));
        self.twos.reuse(twos, is_used(1));
        self.rows.reuse(rows, is_used(2));
    }
}
