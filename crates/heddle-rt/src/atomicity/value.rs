//! Values that only their lock's holder touches, of which a front end knows no more than whether a section
//! looked and whether it changed something.
//!
//! That two sections of one region change a value says little: tasks that add to one list do so all day. What
//! is wrong is to look in one section and to change in a later one what was seen. So the pairs of such a
//! value are a region's changes, each with the last look before it; a section that looks again
//! before it changes pairs with itself, and its lock keeps all others out. A change at a position at which the
//! region changed the value before that look is the next turn of a loop, whose look comes behind its change
//! (`n += 1; print(n)`), and makes no pair; where the look comes first, the first turn has made one.
//!
//! A value has one granule: one byte is the unit, and what is handed over through the lock goes by the others.
//! They are declared too, since a hand-off through the value itself does not excuse.

use super::rule::{Firsts, Now};
use super::twins::{Local, Twin, Watch};
use crate::cache::ThreadCache;
use crate::engine::Engine;
use crate::states::{ListId, StateId, WHOLE};
use crate::sync::Ordering;
use heddle_core::AccessKind::{Read, Write};

/// Which two accesses of one region are a pair.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Pairs {
    /// Any two.
    #[default]
    All,
    /// A write, with the last read before it and before no other write, unless there was a write at the
    /// same position before.
    Updates,
    /// None.
    None,
}

/// The byte of a value's granule that its looks and changes are told of.
pub const VALUE: u8 = 1;

/// The bytes through which its lock hands over.
pub const HANDED: u8 = !VALUE;

impl Engine {
    /// The value whose granule this is must not be torn, by what counts as a pair of it. Until it is forgotten.
    pub fn watch_value(&self, granule: u64, pairs: Pairs) {
        if !self.atomicity.is_wanted {
            return;
        }
        self.part_hand_offs();
        let (alone, declared) = match pairs {
            Pairs::None => (0, 0),
            Pairs::All | Pairs::Updates => (VALUE, WHOLE),
        };
        let watch = Watch {
            alone,
            declared,
            grouped: 0,
            pairs,
        };
        let watched = self.atomicity.twins.add_watch(watch);
        let watched = watched.and_then(|watch| self.watch_as(granule, watch));
        self.or_give_up(watched);
    }

    /// The granule belongs to what such a value stands for: a hand-off through it does not excuse either.
    pub fn watch_member(&self, granule: u64) {
        if !self.atomicity.is_wanted {
            return;
        }
        self.part_hand_offs();
        let watch = Watch {
            alone: 0,
            declared: WHOLE,
            grouped: 0,
            pairs: Pairs::None,
        };
        let watched = self.atomicity.twins.add_watch(watch);
        let watched = watched.and_then(|watch| self.watch_as(granule, watch));
        self.or_give_up(watched);
    }

    fn watch_as(&self, granule: u64, watch: u32) -> Option<()> {
        let cell = self.shadow.cell(granule)?;
        self.shadow.settle(granule);
        let mut before = cell.load(Ordering::Acquire);
        loop {
            let twin = Twin::fresh(self.race_of(StateId(before)), watch);
            let to = self.atomicity.twins.add(twin)?;
            match cell.compare_exchange(before, to.0, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Some(()),
                Err(now) => before = now,
            }
        }
    }

    /// What an access can be the second of.
    pub(super) fn firsts_of(&self, pairs: Pairs, local: Local, now: Now) -> Firsts {
        let mut firsts = self.firsts(local, now.mark.mask);
        if pairs == Pairs::Updates {
            let is_new = !self.has_changed_at(local, now.mark.site);
            firsts.retain(|&(_, kind)| is_new && [kind, now.kind] == [Read, Write]);
        }
        firsts
    }

    fn has_changed_at(&self, local: Local, site: u32) -> bool {
        let mut changes = self.states.iter(local.writes);
        changes.any(|change| change.site == site)
    }

    /// The last look of a region and where it has changed the value, if this access makes a difference.
    pub(super) fn last_look(
        &self,
        cache: &mut ThreadCache,
        now: Now,
        local: Local,
    ) -> Option<Option<Local>> {
        let mut noted = local;
        match now.kind {
            Read if self.states.iter(local.reads).next() == Some(now.mark) => {}
            Read => {
                noted.reads = self
                    .states
                    .push(&mut cache.blocks, ListId::EMPTY, now.mark)?;
            }
            Write => {
                noted.reads = ListId::EMPTY;
                if !self.has_changed_at(local, now.mark.site) {
                    let blocks = &mut cache.blocks;
                    noted.writes = self.states.push(blocks, local.writes, now.mark)?;
                }
            }
        }
        Some((noted != local).then_some(noted))
    }
}
