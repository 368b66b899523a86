//! What an access does to its location's history: the full history of `heddle-core`, on states.
//!
//! Rule, hand-offs and their proofs are those of [`heddle_core::history::Full`]; here a history is an
//! interned state and an access is a step from one state to the next.

use crate::cache::ThreadCache;
use crate::engine::{Cursor, Engine, NO_STRAND};
use crate::exclusion::Hold;
use crate::races::{Race, RacyAccess};
use crate::states::{Group, ListId, Mark, StateId};
use crate::sync::{AtomicU32, Ordering, PoisonError};
use heddle_core::AccessKind::{self, Read, Write};
use heddle_core::order::tree::Nodes;
use heddle_core::{Access, Certainty, Finding, Place, SiteId, roster::Ancestry};

/// Lists up to this length are thinned at every access.
const SHORT: u32 = 8;

impl Engine {
    #[inline(always)]
    pub(crate) fn access(
        &self,
        kind: AccessKind,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        start: u64,
        len: u64,
        site: impl Fn() -> u32,
    ) {
        if len > 1 && kind == Read && cursor.hold != Hold::NOTHING {
            self.receive_all(cache, cursor, start, len);
        }
        for location in start..start.saturating_add(len) {
            let Some(cell) = self.cells.get(location) else {
                self.or_give_up::<()>(None);
                return;
            };
            let state = StateId(cell.load(Ordering::Acquire));
            if cursor.strand == NO_STRAND || !cache.knows(kind, state, cursor.strand) {
                self.first_access(kind, cache, cursor, location, cell, site());
            }
        }
    }

    /// An access that may change its location's state.
    #[cold]
    fn first_access(
        &self,
        kind: AccessKind,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        location: u64,
        cell: &AtomicU32,
        site: u32,
    ) {
        let mut state = StateId(cell.load(Ordering::Acquire));
        loop {
            if kind == Read && cursor.hold != Hold::NOTHING {
                self.receive(cache, cursor, state);
            }
            let mark = Mark {
                strand: self.strand(cursor),
                site,
                hold: cursor.hold,
            };
            let mut conflicts = Vec::new();
            let next = cache.step(state, mark, kind);
            let next = next.or_else(|| self.step(cache, cursor, state, mark, kind, &mut conflicts));
            let Some(next) = self.or_give_up(next) else {
                return;
            };
            match cell.compare_exchange(state.0, next.0, Ordering::AcqRel, Ordering::Acquire) {
                Err(now) => state = StateId(now),
                Ok(_) if conflicts.is_empty() => {
                    cache.learn_step(state, mark, kind, next);
                    cache.learn(kind, next, mark.strand);
                    return;
                }
                Ok(_) => return self.report(location, kind, mark, &conflicts),
            }
        }
    }

    /// One read is one access: what any of its locations hands over arrives before all of it.
    #[cold]
    fn receive_all(&self, cache: &mut ThreadCache, cursor: &mut Cursor, start: u64, len: u64) {
        let cells =
            (start..start.saturating_add(len)).map_while(|location| self.cells.get(location));
        for cell in cells {
            self.receive(cache, cursor, StateId(cell.load(Ordering::Acquire)));
        }
    }

    /// Notes the hand-offs a read in this state receives.
    fn receive(&self, cache: &mut ThreadCache, cursor: &mut Cursor, state: StateId) {
        let wrote = self.states.get(state).last_write;
        for from in self.exclusion.handed_from(wrote, cursor.hold) {
            if !self.precedes(cache, cursor, from) && !self.handed_over(cursor, from) {
                self.hand_over(cursor, from);
            }
        }
    }

    /// Works out where an access leads and what it races with; none when a table is full.
    fn step(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        state: StateId,
        now: Mark,
        kind: AccessKind,
        conflicts: &mut Vec<(Mark, AccessKind, Certainty)>,
    ) -> Option<StateId> {
        let before = self.states.get(state);
        let mut groups: Vec<Group> = self.states.groups(before).collect();
        let last_write = if kind == Write {
            now.hold
        } else {
            before.last_write
        };
        let locks = self.exclusion.set(now.hold);
        if groups
            .iter()
            .any(|group| group.locks == locks && self.has(group, now, kind))
        {
            return self.states.intern(&groups, last_write);
        }
        for group in groups
            .iter()
            .filter(|group| self.exclusion.disjoint(group.locks, locks))
        {
            self.compare(cache, cursor, group.writes, Write, conflicts);
            if kind == Write {
                self.compare(cache, cursor, group.reads, Read, conflicts);
            }
        }
        for group in &mut groups {
            if self.exclusion.within(locks, group.locks) {
                let compared = kind == Write && self.exclusion.disjoint(group.locks, locks);
                group.reads = self.thin(cache, cursor, group.reads, compared)?;
                if kind == Write {
                    group.writes = self.thin(cache, cursor, group.writes, compared)?;
                }
            }
        }
        self.remember(&mut groups, locks, now, kind)?;
        self.states.intern(&groups, last_write)
    }

    /// Whether an access of the same strand already stands for `now`.
    fn has(&self, group: &Group, now: Mark, kind: AccessKind) -> bool {
        let in_list = |list: ListId| {
            self.states
                .iter(list)
                .take(SHORT as usize)
                .any(|mark| mark.strand == now.strand)
        };
        in_list(group.writes) || kind == Read && in_list(group.reads)
    }

    fn compare(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        list: ListId,
        kind: AccessKind,
        conflicts: &mut Vec<(Mark, AccessKind, Certainty)>,
    ) {
        for mark in self.states.iter(list) {
            if !self.precedes(cache, cursor, mark.strand) {
                let handed_over = self.handed_over(cursor, mark.strand);
                let certainty = if handed_over {
                    Certainty::Possible
                } else {
                    Certainty::Certain
                };
                conflicts.push((mark, kind, certainty));
            }
        }
    }

    /// The list without what precedes the running strand. Long lists the access was not compared with
    /// are looked through when they have doubled.
    fn thin(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        list: ListId,
        compared: bool,
    ) -> Option<ListId> {
        let len = self.states.len(list);
        if len <= SHORT || compared || len.is_power_of_two() {
            return self
                .states
                .without(list, |mark| self.precedes(cache, cursor, mark.strand));
        }
        Some(list)
    }

    fn remember(
        &self,
        groups: &mut Vec<Group>,
        locks: crate::exclusion::LockSet,
        now: Mark,
        kind: AccessKind,
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
        *list = self.states.push(*list, now)?;
        Some(())
    }

    #[cold]
    fn report(
        &self,
        location: u64,
        kind: AccessKind,
        now: Mark,
        conflicts: &[(Mark, AccessKind, Certainty)],
    ) {
        let racy = |mark: Mark, kind| RacyAccess {
            kind,
            site: mark.site,
            strand: mark.strand,
            hold: mark.hold,
        };
        let mut races = self.races.lock().unwrap_or_else(PoisonError::into_inner);
        for &(earlier, earlier_kind, certainty) in conflicts {
            races.add(
                location,
                racy(earlier, earlier_kind),
                racy(now, kind),
                certainty,
            );
        }
    }

    /// The races found so far; places have their location's number only.
    pub fn races(&self, ancestry: &Ancestry<'_>) -> Vec<Finding> {
        let races = self.races.lock().unwrap_or_else(PoisonError::into_inner);
        races
            .iter()
            .map(|race| self.finding(race, ancestry))
            .collect()
    }

    /// The locations of the races found so far but the first `known`, in the sequence of
    /// [`races`](Self::races).
    pub fn race_locations(&self, known: usize) -> Vec<u64> {
        let races = self.races.lock().unwrap_or_else(PoisonError::into_inner);
        races.iter().skip(known).map(|race| race.location).collect()
    }

    fn finding(&self, race: &Race, ancestry: &Ancestry<'_>) -> Finding {
        let accesses = race.accesses.map(|access| Access {
            kind: access.kind,
            site: SiteId::new(access.site),
            task: self.forest.node(access.strand).task,
            locks: self.exclusion.locks(access.hold),
        });
        let why = ancestry.why(accesses[0].task, accesses[1].task);
        let place = Place {
            name: None,
            index: None,
            location: race.location,
        };
        Finding::Race {
            certainty: race.certainty,
            place,
            accesses,
            why,
            count: race.count,
        }
    }
}
