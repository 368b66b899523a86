//! What is watched: granules each for themselves, and groups of them that share one history.

use super::twins::{Twin, Watch};
use crate::engine::Engine;
use crate::states::{Mask, StateId, WHOLE};
use crate::sync::{AtomicU32, Ordering, PoisonError};
use heddle_core::GroupId;
use std::collections::BTreeMap;

/// The members of groups, and who they are.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    /// By the first granule: how many, and of which group.
    members: BTreeMap<(u64, GroupId), u64>,
    /// Members as they were declared, also those that are gone.
    named: BTreeMap<GroupId, Vec<u64>>,
    made: u32,
}

impl Groups {
    fn add(&mut self, start: u64, len: u64, group: GroupId) {
        self.members.insert((start, group), len);
        let named = self.named.entry(group).or_default();
        if !named.contains(&start) {
            named.push(start);
        }
    }

    /// The groups with members among these granules; they lose them.
    fn lose(&mut self, start: u64, len: u64) -> Vec<GroupId> {
        let end = start.saturating_add(len);
        let known = self.members.range(..(end, GroupId::new(0)));
        let hit = known.map(|(&(at, group), &len)| (at, at.saturating_add(len), group));
        let hit = hit.filter(|&(_, until, _)| until > start && len > 0);
        let hit: Vec<(u64, u64, GroupId)> = hit.collect();
        for &(at, until, group) in &hit {
            self.members.remove(&(at, group));
            let rests = [(at, start), (end, until)];
            for (from, to) in rests.into_iter().filter(|(from, to)| from < to) {
                self.members.insert((from, group), to - from);
            }
        }
        hit.into_iter().map(|(.., group)| group).collect()
    }

    /// The first granules of a group's members.
    pub(crate) fn named(&self, group: GroupId) -> Vec<u64> {
        self.named.get(&group).cloned().unwrap_or_default()
    }
}

impl Engine {
    /// A group that nothing belongs to yet.
    pub fn new_group(&self) -> GroupId {
        let mut groups = self.groups();
        groups.made += 1;
        GroupId::new(groups.made)
    }

    /// These bytes of a granule are to be accessed atomically, each by itself or all that is in `group` as
    /// one. Until they are forgotten.
    pub fn watch(&self, granule: u64, mask: u8, group: Option<GroupId>) {
        self.watch_granules(granule, 1, mask, group);
    }

    /// The same for whole granules.
    pub fn watch_range(&self, start: u64, len: u64, group: Option<GroupId>) {
        self.watch_granules(start, len, WHOLE, group);
    }

    fn watch_granules(&self, start: u64, len: u64, mask: Mask, group: Option<GroupId>) {
        if !self.atomicity.is_wanted || mask == 0 || len == 0 {
            return;
        }
        let book = self.open_book();
        self.part_hand_offs();
        self.atomicity.has_units.store(true, Ordering::Release);
        if let Some(group) = group {
            self.groups().add(start, len, group);
            self.atomicity.has_groups.store(true, Ordering::Release);
        }
        let mut made = Made::default();
        for granule in start..start.saturating_add(len) {
            let Some(cell) = self.or_give_up(self.shadow.cell(granule)) else {
                return;
            };
            self.shadow.settle(granule);
            self.watch_cell(&mut made, cell, mask, group);
        }
        if let Some(mut book) = book {
            book.watch(start, len, mask, group);
        }
    }

    fn watch_cell(&self, made: &mut Made, cell: &AtomicU32, mask: Mask, group: Option<GroupId>) {
        let mut before = StateId(cell.load(Ordering::Acquire));
        loop {
            let watched = match made.step {
                Some((from, to)) if from == before => Some(to),
                _ => self.watched(made, before, mask, group),
            };
            let Some(watched) = self.or_give_up(watched) else {
                return;
            };
            let set =
                cell.compare_exchange(before.0, watched.0, Ordering::AcqRel, Ordering::Acquire);
            match set {
                Ok(_) => return made.step = Some((before, watched)),
                Err(now) => before = StateId(now),
            }
        }
    }

    /// The state, with these bytes watched.
    fn watched(
        &self,
        made: &mut Made,
        state: StateId,
        mask: Mask,
        group: Option<GroupId>,
    ) -> Option<StateId> {
        let twins = &self.atomicity.twins;
        let twin = twins.get(state);
        let before = twin.map_or(self.atomicity.unwatched(), |twin| twins.watch(twin.watch));
        let alone = match group {
            None => before.alone | mask,
            Some(_) => before.alone & !mask,
        };
        let mut grouped = 0;
        for other in twins.grouped(before) {
            let left = other.mask & !mask;
            if left != 0 {
                grouped = twins.add_grouped(grouped, other.group, left)?;
            }
        }
        if let Some(group) = group {
            grouped = twins.add_grouped(grouped, group.raw(), mask)?;
        }
        let watch = Watch {
            alone,
            declared: before.declared | mask,
            grouped,
            ..Watch::NOTHING
        };
        let watch = match made.watch {
            Some((known, row)) if known == watch => row,
            _ => twins.add_watch(watch)?,
        };
        made.watch = Some((twins.watch(watch), watch));
        let fresh = Twin::fresh(state, watch);
        let twin = twin.map_or(fresh, |twin| Twin { watch, ..twin });
        twins.add(twin)
    }

    /// Members of groups are gone: what is left of their groups is accessed as if for the first time.
    pub(crate) fn forget_members(&self, start: u64, len: u64) {
        if !self.atomicity.has_groups.load(Ordering::Acquire) {
            return;
        }
        let lost = self.groups().lose(start, len);
        for group in lost {
            if let Some(cell) = self.atomicity.group_states.get(u64::from(group.raw())) {
                cell.store(StateId::FRESH.0, Ordering::Release);
            }
        }
    }

    pub(crate) fn groups(&self) -> crate::sync::MutexGuard<'_, Groups> {
        self.atomicity
            .groups
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// What one call that watches made last: neighbours get the same.
#[derive(Default)]
struct Made {
    watch: Option<(Watch, u32)>,
    step: Option<(StateId, StateId)>,
}
