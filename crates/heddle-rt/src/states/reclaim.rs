//! Finds rows that no location refers to.

use super::{Blocks, FORM, GENERAL, Hold, ListId, MANY, StateId, States};
use crate::plain::{IdleRows, UsedRows};
use crate::store::{Bits, Idle};

/// What was unused the last time.
#[derive(Debug, Default)]
pub(crate) struct IdleStates {
    plain: IdleRows,
    general: [Idle; 4],
}

/// The rows that are referred to.
#[derive(Debug)]
pub(crate) struct UsedStates {
    plain: UsedRows,
    links: Bits,
    groups: Bits,
    lasts: Bits,
    generals: Bits,
}

impl States {
    /// Nothing is referred to yet.
    pub(crate) fn unused(&self) -> UsedStates {
        UsedStates {
            plain: UsedRows::new(&self.plains),
            links: Bits::new(self.links.len()),
            groups: Bits::new(self.groups.len()),
            lasts: Bits::new(self.lasts.len()),
            generals: Bits::new(self.generals.len()),
        }
    }

    /// Bytes of rows made since unused ones were last looked for.
    pub(crate) fn taken_bytes(&self) -> usize {
        self.plains.taken_bytes()
            + self.links.taken_bytes()
            + self.groups.taken_bytes()
            + self.lasts.taken_bytes()
            + self.generals.taken_bytes()
    }

    /// How many rows of the general form were ever made.
    #[cfg(test)]
    pub(crate) fn rows(&self) -> usize {
        let lists = self.links.len() + self.groups.len() + self.lasts.len();
        (lists + self.generals.len()) as usize
    }

    /// A location is in this state. Tells which strands it names, and what they held, unless it has been told.
    pub(crate) fn note(
        &self,
        used: &mut UsedStates,
        state: StateId,
        mut named: impl FnMut(u32, Hold),
    ) {
        used.plain.note(state);
        if state.twin().is_some() {
            return;
        }
        if let Some(plain) = self.plains.get(state) {
            let marks = plain.writes().iter().chain(plain.reads());
            return marks.for_each(|mark| named(mark.strand, mark.hold));
        }
        let row = state.0 & !FORM;
        if state.0 & FORM != GENERAL || !used.generals.set(row) {
            return;
        }
        let general = self.generals.get(row);
        let mut at = general.groups;
        while at != 0 && used.groups.set(at) {
            let link = self.groups.get(at);
            self.note_list(used, link.group.writes, &mut named);
            self.note_list(used, link.group.reads, &mut named);
            at = link.rest;
        }
        let mut at = general.last.0;
        while at != 0 && used.lasts.set(at) {
            let link = self.lasts.get(at);
            if link.reader != MANY {
                named(link.reader, link.hold);
            }
            at = link.rest.0;
        }
    }

    fn note_list(&self, used: &mut UsedStates, list: ListId, named: &mut impl FnMut(u32, Hold)) {
        let mut at = list;
        while at != ListId::EMPTY && used.links.set(at.0) {
            let link = self.link(at);
            named(link.strand, link.hold);
            at = link.rest;
        }
    }

    /// Rows of blocks that were unused last time and are now may be used again.
    pub(crate) fn reuse(&self, idle: &mut IdleStates, used: &UsedStates, keeps_general: bool) {
        self.plains.reuse(&mut idle.plain, &used.plain);
        if keeps_general {
            return;
        }
        let [links, groups, lasts, generals] = &mut idle.general;
        self.links.reuse_rows(links, &used.links);
        self.groups.reuse_rows(groups, &used.groups);
        self.lasts.reuse_rows(lasts, &used.lasts);
        self.generals.reuse_rows(generals, &used.generals);
    }
}

impl Blocks {
    /// Whatever it knows of rows is void.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }
}
