//! The sections that wrote what a granule holds, for front ends that keep more of them than the last.

use crate::engine::{Cursor, Engine};
use crate::states::{StateId, WHOLE};
use crate::sync::Ordering;
use heddle_core::TaskId;
use heddle_core::order::tree::Nodes;
use smallvec::SmallVec;

impl Engine {
    /// The strands that ended the sections in which the granule was last written, of locks that the task holds in later
    /// sections, each with its task: what a read would receive.
    pub fn last_sections(&self, cursor: &Cursor, granule: u64) -> SmallVec<[(TaskId, u32); 4]> {
        let Some(cell) = self.shadow.cell(granule) else {
            return SmallVec::new();
        };
        let state = self.race_of(StateId(cell.load(Ordering::Acquire)));
        let last = self.states.last(state);
        let wrote = self.states.held_at(last, WHOLE);
        let ended = wrote.flat_map(|hold| self.exclusion.handed_from(hold, cursor.hold));
        ended
            .map(|strand| (self.forest.node(strand).task, strand))
            .collect()
    }
}
