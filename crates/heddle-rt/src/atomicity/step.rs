//! Steps of what is watched: each access takes a granule, and the groups it belongs to, from one state to the
//! next. Where to is said by the race history and by the [`rule`](super::rule).

use super::rule::Settled;
use super::tears::{Subject, TornAccess, Triple};
use super::twins::{Parts, Recents, Twin, Watch};
use crate::cache::ThreadCache;
use crate::engine::{Cursor, Engine, Through};
use crate::exclusion::Hold;
use crate::history::{Conflicts, Taken, Touch};
use crate::states::{Group, Mark, Mask, StateId, WHOLE};
use crate::sync::{AtomicU32, Ordering};
use heddle_core::AccessKind::{Read, Write};
use heddle_core::GroupId;

/// What a thread needs to work out steps.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(super) recents: Recents,
    pub(super) parts: Parts,
    pub(super) groups: Vec<Group>,
    /// The access it is making, and the groups that it has already counted for.
    access: u64,
    counted: (u64, Vec<GroupId>),
}

/// Where an access leads.
struct Next {
    state: StateId,
    settled: Settled,
}

/// What an access meets.
#[derive(Default)]
struct Met {
    conflicts: Conflicts,
    triples: Vec<Triple>,
}

impl Scratch {
    /// Another access begins, to any number of granules.
    pub(crate) fn begin_access(&mut self) {
        self.access += 1;
    }

    /// The number of the access being made.
    pub(crate) fn access(&self) -> u64 {
        self.access
    }

    /// Whether the access being made has not yet counted for the group.
    fn counts_for(&mut self, group: GroupId) -> bool {
        let (access, groups) = &mut self.counted;
        if *access != self.access {
            *access = self.access;
            groups.clear();
        }
        let is_new = !groups.contains(&group);
        if is_new {
            groups.push(group);
        }
        is_new
    }
}

impl Engine {
    /// An access to a granule that is watched.
    #[cold]
    pub(crate) fn step_watched(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        touch: Touch,
        site: u32,
        hold: Hold,
        cell: &AtomicU32,
    ) -> Option<Taken> {
        let Touch { kind, mask, .. } = touch;
        let mut state = StateId(cell.load(Ordering::Acquire));
        loop {
            let Some(twin) = self.atomicity.twin(state) else {
                return self.step_cell(cache, cursor, touch, site, hold, cell);
            };
            let watch = self.atomicity.twins.watch(twin.watch);
            if hold != Hold::NOTHING {
                match kind {
                    Read => self.receive_watched(cache, cursor, state, touch.granule, mask),
                    Write => self.overtake(cache, cursor, self.race_of(state), mask),
                }
            }
            let strand = self.strand(cursor);
            cache.follow(strand);
            let mark = Mark {
                strand,
                site,
                hold,
                mask,
            };
            cache.is_particular = false;
            let mut met = Met::default();
            let known = cache.step(state, mark, kind);
            let next = match known {
                Some(next) => Some(Next::known(state, next)),
                None => self.step_twin(cache, cursor, touch, (state, twin), mark, &mut met),
            };
            let next = self.or_give_up(next)?;
            let to = next.state;
            match cell.compare_exchange(state.0, to.0, Ordering::AcqRel, Ordering::Acquire) {
                Err(now) => state = StateId(now),
                Ok(_) => {
                    let is_quiet = met.is_empty();
                    let is_common = is_quiet && !cache.is_particular;
                    if is_common && known.is_none() {
                        cache.learn_step(state, mark, kind, to);
                    }
                    self.tell(cache, touch, mark, watch, &met);
                    let touches_group = watch.touches_group(mask);
                    if touches_group {
                        self.step_groups_of(cache, cursor, touch, watch, mark);
                    }
                    if kind == Read && self.reports_races && !met.conflicts.is_empty() {
                        self.receive_racy(cursor, touch.granule, &met.conflicts);
                    }
                    if touches_group {
                        return None;
                    }
                    if is_quiet && hold == cursor.hold && next.settled == Settled::Yes {
                        cache.learn(kind, to, mask);
                    }
                    let repeatable = is_common && hold == Hold::NOTHING;
                    return repeatable.then_some(Taken { from: state, to });
                }
            }
        }
    }

    fn tell(&self, cache: &mut ThreadCache, touch: Touch, mark: Mark, watch: Watch, met: &Met) {
        if !met.conflicts.is_empty() {
            self.report(cache, touch.granule, touch.kind, mark, &met.conflicts);
        }
        if !met.triples.is_empty() {
            let subject = Subject::Granule(touch.granule);
            self.report_tears(touch.granule, subject, &met.triples, watch.declared);
        }
    }

    /// Notes the hand-offs a read receives.
    pub(crate) fn receive_watched(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        state: StateId,
        granule: u64,
        mask: Mask,
    ) {
        let Some(twin) = self.atomicity.twin(state) else {
            return;
        };
        let watch = self.atomicity.twins.watch(twin.watch);
        let (units, others) = (mask & watch.declared, mask & !watch.declared);
        self.receive(cache, cursor, twin.race, units, Through::Unit);
        let through = match self.atomicity.is_all {
            true => Through::Granule(granule),
            false => Through::Location,
        };
        self.receive(cache, cursor, twin.race, others, through);
    }

    /// Works out where an access to a granule leads; none when a table is full.
    fn step_twin(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        touch: Touch,
        (state, twin): (StateId, Twin),
        mark: Mark,
        met: &mut Met,
    ) -> Option<Next> {
        let watch = self.atomicity.twins.watch(twin.watch);
        let unit = Mark {
            mask: mark.mask & watch.alone,
            ..mark
        };
        let (next, settled) = match unit.mask {
            0 => (twin, Settled::Yes),
            _ => self.step_unit(cache, cursor, touch, twin, unit, &mut met.triples)?,
        };
        let race = self.step_race(cache, cursor, touch, twin.race, mark, &mut met.conflicts)?;
        self.next(cache, (state, twin), Twin { race, ..next }, settled)
    }

    /// The step of the race history, whose accesses are also those that may come between a pair: none is dropped for
    /// others.
    fn step_race(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        touch: Touch,
        race: StateId,
        mark: Mark,
        conflicts: &mut Conflicts,
    ) -> Option<StateId> {
        cache.is_watched = true;
        let next = self.step_few(cache, cursor, touch, race, mark);
        let next = next.or_else(|| self.step(cache, cursor, touch, race, mark, conflicts));
        cache.is_watched = false;
        next
    }

    /// The number of the next twin, which is often the one before.
    fn next(
        &self,
        cache: &mut ThreadCache,
        (state, twin): (StateId, Twin),
        next: Twin,
        settled: Settled,
    ) -> Option<Next> {
        let is_same = next == twin;
        let state = match is_same && state.twin().is_some() {
            true => state,
            false => self.atomicity.twins.number(&mut cache.torn.recents, next)?,
        };
        Some(Next { state, settled })
    }

    /// An access to groups, once for each.
    #[cold]
    fn step_groups_of(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        touch: Touch,
        watch: Watch,
        mark: Mark,
    ) {
        let groups = self.atomicity.twins.grouped(watch);
        let groups: Vec<GroupId> = groups
            .filter(|grouped| grouped.mask & mark.mask != 0)
            .map(|grouped| GroupId::new(grouped.group))
            .collect();
        for group in groups {
            if cache.torn.counts_for(group) {
                let mark = Mark {
                    mask: WHOLE,
                    ..mark
                };
                self.or_give_up(self.step_group(cache, cursor, touch, group, mark));
            }
        }
    }

    fn step_group(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        touch: Touch,
        group: GroupId,
        mark: Mark,
    ) -> Option<()> {
        let member = (touch.granule, touch.mask);
        let touch = Touch {
            mask: WHOLE,
            ..touch
        };
        let kind = touch.kind;
        let access = TornAccess { mark, kind };
        let cell = self.atomicity.group_states.get(u64::from(group.raw()))?;
        let mut state = StateId(cell.load(Ordering::Acquire));
        loop {
            let twin = self.atomicity.twins.get(state);
            let twin = twin.unwrap_or(Twin::fresh(StateId::FRESH, 0));
            let mut met = Met::default();
            let (next, settled) =
                self.step_unit(cache, cursor, touch, twin, mark, &mut met.triples)?;
            let race = self.step_race(cache, cursor, touch, twin.race, mark, &mut met.conflicts)?;
            let next = self.next(cache, (state, twin), Twin { race, ..next }, settled)?;
            if next.state != state {
                self.note_member(group, access, member);
            }
            let to = next.state.0;
            match cell.compare_exchange(state.0, to, Ordering::AcqRel, Ordering::Acquire) {
                Err(now) => state = StateId(now),
                Ok(_) if met.triples.is_empty() => return Some(()),
                Ok(_) => {
                    let subject = Subject::Group(group);
                    self.report_tears(touch.granule, subject, &met.triples, WHOLE);
                    return Some(());
                }
            }
        }
    }
}

impl Next {
    /// A step that was worked out before. One that leads nowhere finds nothing new.
    fn known(from: StateId, to: StateId) -> Self {
        let settled = match from == to {
            true => Settled::Yes,
            false => Settled::No,
        };
        Self { state: to, settled }
    }
}

impl Met {
    fn is_empty(&self) -> bool {
        self.conflicts.is_empty() && self.triples.is_empty()
    }
}

impl Watch {
    /// Whether some of these bytes belong to groups.
    fn touches_group(self, mask: Mask) -> bool {
        self.grouped != 0 && mask & self.declared & !self.alone != 0
    }
}
