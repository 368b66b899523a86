//! The general way: any number of accesses, under any locks.
//!
//! The history of a location is taken apart into groups of accesses with one lockset each; the access is compared with
//! those whose locks it shares none of, and stands for those that precede it and held all that it holds.

use super::{Conflict, Conflicts, Touch};
use crate::cache::ThreadCache;
use crate::engine::{Cursor, Engine};
use crate::exclusion::{Hold, LockSet};
use crate::states::{Group, ListId, Mark, StateId};
use heddle_core::AccessKind::{self, Read, Write};
use heddle_core::Certainty;
use heddle_core::order::tree::{Departures, Nodes};
use smallvec::SmallVec;

/// Lists up to this length are thinned at every access.
const SHORT: u32 = 8;

/// Of accesses that may depend on what their section has read, so many are kept beside each other at least.
const EXCUSABLE: u32 = 4;

/// Lists from this length on grow no more where all races that are told are known.
const LONG: u32 = 64;

/// Whether it is this strand's turn to look through a list of this length: one in as many, whatever
/// the strands' numbers have in common.
fn is_turn(strand: u32, len: u32) -> bool {
    let spread = strand.wrapping_mul(0x9E37_79B1);
    u64::from(spread) * u64::from(len) < 1 << 32
}

impl Engine {
    /// A list stands for accesses that were dropped from it only as long as the tree orders those that were kept.
    #[cold]
    pub(super) fn check_for_loss(
        &self,
        cursor: &mut Cursor,
        mut marks: impl Iterator<Item = Mark>,
    ) {
        let now = self.strand(cursor);
        if self.keeps_all() || !marks.all(|mark| self.is_ordered_by_tree(mark.strand, now)) {
            self.loses_an_access();
        }
    }

    /// Works out where an access leads and what it races with; none when a table is full.
    pub(crate) fn step(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        touch: Touch,
        state: StateId,
        now: Mark,
        conflicts: &mut Conflicts,
    ) -> Option<StateId> {
        let mut groups = std::mem::take(&mut cache.groups);
        let next = self.step_groups(cache, cursor, touch, state, now, &mut groups, conflicts);
        cache.groups = groups;
        next
    }

    /// The same, with the state's groups in a vector that is used again and again.
    #[allow(clippy::too_many_arguments, reason = "the parts of one access")]
    fn step_groups(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        touch: Touch,
        state: StateId,
        now: Mark,
        groups: &mut Vec<Group>,
        conflicts: &mut Conflicts,
    ) -> Option<StateId> {
        let kind = touch.kind;
        let before = self.states.open(&mut cache.blocks, state, groups)?;
        let locks = self.exclusion.set(now.hold);
        let same = groups.iter().find(|group| group.locks == locks);
        let is_own = |strand| self.is_running(cursor, strand);
        let is_known = same.is_some_and(|group| self.has(group, now, kind, is_own));
        let last = match kind {
            Read if is_known || !self.may_be_overtaken(before, now) => before,
            Read => self.look(cache, cursor, before, now)?,
            Write => {
                let blocks = &mut cache.blocks;
                self.states.overwrite(blocks, before, now.mask, now.hold)?
            }
        };
        if is_known {
            return match last == before {
                true => Some(state),
                false => self.states.close(&mut cache.blocks, groups, last),
            };
        }
        let only = groups.first().copied().filter(|_| groups.len() == 1);
        for group in groups
            .iter()
            .filter(|group| self.exclusion.disjoint(group.locks, locks))
        {
            self.compare(cache, cursor, touch, (group.writes, Write), conflicts);
            if kind == Write {
                self.compare(cache, cursor, touch, (group.reads, Read), conflicts);
            }
        }
        for group in groups.iter_mut() {
            if self.exclusion.within(locks, group.locks) {
                let compared = kind == Write && self.exclusion.disjoint(group.locks, locks);
                group.reads = self.thin(cache, cursor, touch, group.reads, compared)?;
                if kind == Write {
                    group.writes = self.thin(cache, cursor, touch, group.writes, compared)?;
                }
            }
        }
        self.remember(cache, groups, locks, now, touch, conflicts)?;
        if kind == Read && last == before && only.is_some_and(|only| *groups == [only]) {
            return Some(state);
        }
        self.states.close(&mut cache.blocks, groups, last)
    }

    /// Whether an access of a strand that `is_own` already stands for `now`.
    pub(crate) fn has(
        &self,
        group: &Group,
        now: Mark,
        kind: AccessKind,
        is_own: impl Fn(u32) -> bool,
    ) -> bool {
        let in_list = |list: ListId| {
            self.states
                .iter(list)
                .take(SHORT as usize)
                .any(|mark| is_own(mark.strand) && mark.mask & now.mask == now.mask)
        };
        in_list(group.writes) || kind == Read && in_list(group.reads)
    }

    fn compare(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        touch: Touch,
        (list, kind): (ListId, AccessKind),
        conflicts: &mut Conflicts,
    ) {
        let before = conflicts.len();
        for mark in self.states.iter(list) {
            if mark.mask & touch.mask != 0
                && !self.is_before(cache, cursor, touch.granule, mark.strand)
            {
                let is_excused = self.handed_over(cursor, mark.strand)
                    || self.is_overtaken(cursor, mark.strand)
                    || self.is_of_overtaken_crowd(cursor, mark)
                    || self.has_seen_write_after(cursor, touch.granule, mark);
                let certainty = if is_excused {
                    Certainty::Possible
                } else {
                    Certainty::Certain
                };
                conflicts.push(Conflict {
                    mark,
                    kind,
                    certainty,
                });
            }
        }
        if before == conflicts.len() && list != ListId::EMPTY && self.states.is_lossy(list) {
            self.check_for_loss(cursor, self.states.iter(list));
        }
    }

    /// Whether what `earlier` did to this granule precedes what the running strand does to it.
    #[inline]
    pub(crate) fn is_before(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        granule: u64,
        earlier: u32,
    ) -> bool {
        if self.precedes(cache, cursor, earlier) {
            return true;
        }
        if cache.is_hurried {
            return false;
        }
        let is_before = self.ran_before(cursor, earlier) && (self.owned)(granule);
        cache.is_particular |= is_before;
        is_before
    }

    /// The list without what precedes the running strand and is covered by its access. Long lists
    /// the access was not compared with are looked through by one in as many strands as they have accesses, so that
    /// each access pays for one.
    fn thin(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        touch: Touch,
        list: ListId,
        compared: bool,
    ) -> Option<ListId> {
        let len = self.states.len(list);
        if len > SHORT && !compared && !is_turn(self.strand(cursor), len) {
            return Some(list);
        }
        let is_kept_for_others = touch.kind == Read && self.states.is_lossy(list);
        // What may not have happened in another order of the sections does not stand for what does.
        let is_excusable = self.exclusion.follows_look(cursor.hold);
        let covered = |cache: &mut ThreadCache, mark: Mark| {
            mark.mask & !touch.mask == 0
                && (!is_excusable || len > EXCUSABLE && self.exclusion.follows_look(mark.hold))
                && self.is_before(cache, cursor, touch.granule, mark.strand)
                && (!is_kept_for_others
                    || self.tree_orders(cache, mark.strand, self.strand(cursor)))
        };
        self.without(cache, list, covered)
    }

    /// The list without the accesses that `drop` says yes to.
    fn without(
        &self,
        cache: &mut ThreadCache,
        list: ListId,
        mut drop: impl FnMut(&mut ThreadCache, Mark) -> bool,
    ) -> Option<ListId> {
        if self.states.len(list) <= 1 {
            let only = self.states.iter(list).next();
            let empties = only.is_some_and(|mark| drop(cache, mark));
            return Some(if empties { ListId::EMPTY } else { list });
        }
        let all: SmallVec<[Mark; 8]> = self.states.iter(list).collect();
        let kept: SmallVec<[Mark; 8]> = all
            .iter()
            .copied()
            .filter(|&mark| !drop(cache, mark))
            .collect();
        if kept.len() == all.len() {
            return Some(list);
        }
        let is_lossy = self.states.is_lossy(list);
        let list = kept
            .into_iter()
            .rev()
            .try_fold(ListId::EMPTY, |rest, mark| {
                self.states.push(&mut cache.blocks, rest, mark)
            })?;
        match is_lossy {
            true => self.states.mark_lossy(&mut cache.blocks, list),
            false => Some(list),
        }
    }

    fn remember(
        &self,
        cache: &mut ThreadCache,
        groups: &mut Vec<Group>,
        locks: LockSet,
        now: Mark,
        Touch { kind, granule, .. }: Touch,
        conflicts: &[Conflict],
    ) -> Option<()> {
        let at = match groups.binary_search_by_key(&locks, |group| group.locks) {
            Ok(at) => at,
            Err(at) => {
                groups.insert(
                    at,
                    Group {
                        locks,
                        writes: ListId::EMPTY,
                        reads: ListId::EMPTY,
                    },
                );
                at
            }
        };
        let list = match kind {
            Read => &mut groups[at].reads,
            Write => &mut groups[at].writes,
        };
        let is_private = now.hold == cache.private.1 && now.hold != Hold::NOTHING;
        *list = match kind {
            _ if self.is_redundant(*list, granule, now, conflicts) => *list,
            _ if is_private => self.two_of_three(cache, *list, now, |_| true)?,
            Write if now.hold == Hold::NOTHING => self.states.add(&mut cache.blocks, *list, now)?,
            _ => self.remember_in(cache, *list, now, |_| true)?,
        };
        Some(())
    }

    /// Whether the location is known to have a certain race, and one more access says nothing new: two at the same
    /// place of the program are remembered, or many that race, and as many races as are told.
    fn is_redundant(&self, list: ListId, granule: u64, now: Mark, conflicts: &[Conflict]) -> bool {
        let is_certain = |conflict: &Conflict| conflict.certainty == Certainty::Certain;
        let is_alike = |mark: &Mark| mark.site == now.site && mark.mask & now.mask == now.mask;
        conflicts.iter().any(is_certain)
            && (self.states.iter(list).filter(is_alike).nth(1).is_some()
                || self.states.len(list) >= LONG && self.is_crowded(granule))
    }

    /// The list with one more access, or with the two of three that stand for all of their sort.
    fn remember_in(
        &self,
        cache: &mut ThreadCache,
        list: ListId,
        now: Mark,
        of_its_sort: impl Fn(&Mark) -> bool,
    ) -> Option<ListId> {
        let departures = self.forest.node(now.strand).departures();
        if departures == Departures::Edges || self.keeps_all() || cache.is_watched {
            return self.states.add(&mut cache.blocks, list, now);
        }
        let follows_look = self.exclusion.follows_look(now.hold);
        self.two_of_three(cache, list, now, |mark| {
            of_its_sort(mark)
                && self.forest.node(mark.strand).departures() == departures
                && self.exclusion.follows_look(mark.hold) == follows_look
        })
    }

    /// The list with one more access, or with the two of three of a sort whose lowest common ancestor is highest:
    /// by the tree alone, whatever is parallel with some access is parallel with one of these (see
    /// the rule above). Accesses to other bytes are none of its business, nor those that
    /// precede: they cannot stand for this one.
    fn two_of_three(
        &self,
        cache: &mut ThreadCache,
        list: ListId,
        now: Mark,
        of_its_sort: impl Fn(&Mark) -> bool,
    ) -> Option<ListId> {
        let covers = |mark: &Mark| {
            mark.mask & now.mask == now.mask
                && of_its_sort(mark)
                && mark.strand != now.strand
                && !self.precedes_running(cache, mark.strand, now.strand)
        };
        let mut others = self.states.iter(list).filter(covers);
        let (Some(second), Some(first)) = (others.next(), others.next()) else {
            return self.states.add(&mut cache.blocks, list, now);
        };
        let together = self.depth_of_both(cache, first.strand, second.strand);
        if self.depth_with(cache, first.strand, now.strand) >= together {
            return self.states.mark_lossy(&mut cache.blocks, list);
        }
        let replaced = |mark: Mark| mark.strand == second.strand && mark.mask & !now.mask == 0;
        let rest = self.without(cache, list, |_, mark| replaced(mark))?;
        let list = self.states.push(&mut cache.blocks, rest, now)?;
        self.states.mark_lossy(&mut cache.blocks, list)
    }
}
