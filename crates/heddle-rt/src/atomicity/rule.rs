//! What an access to a watched unit finds, and what is kept of it.
//!
//! An access is tried as the last of three, against what touched the unit, and as the one in between, against the
//! unit's pairs.
//!
//! # What is kept
//! Of one region and pattern, one pair is enough: its *first* access of the one kind and its *latest* of
//! the other. The locks held without a break from the first access on only get fewer, whichever end moves
//! away from the other, so what tears a closer pair tears this one too. A pair is forgotten when a new one *stands for*
//! it: the new one's end comes after the old one's in every schedule, it keeps no lock that the old did not keep, and it
//! is torn by whatever tears the old. An access is forgotten by the rule of [`crate::history`].

use super::region::NO_REGION;
use super::tears::{TornAccess, Triple};
use super::twins::{Local, Pair, PairGroup, PairList, Parts, TornBy, Twin};
use super::value::Pairs;
use crate::cache::ThreadCache;
use crate::engine::{Cursor, Engine};
use crate::exclusion::LockSet;
use crate::history::Touch;
use crate::states::{Group, ListId, Mark, Mask};
use heddle_core::AccessKind::{self, Read, Write};
use heddle_core::Certainty;
use heddle_core::order::tree::{Departures, Nodes};

/// Lists up to this length are thinned at every access.
const SHORT: u32 = 8;

/// An access to a unit.
#[derive(Clone, Copy)]
pub(super) struct Now {
    pub(super) mark: Mark,
    pub(super) kind: AccessKind,
    region: u32,
    /// The locks it is made under.
    locks: LockSet,
    granule: u64,
}

/// What an access can be the second of.
pub(super) type Firsts = Vec<(Mark, AccessKind)>;

/// Whether the same access again would find something new.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Settled {
    Yes,
    No,
}

impl Engine {
    /// What an access does to a unit in this state, and what it meets; none when a table is full.
    pub(super) fn step_unit(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        touch: Touch,
        twin: Twin,
        mark: Mark,
        triples: &mut Vec<Triple>,
    ) -> Option<(Twin, Settled)> {
        let mut parts = std::mem::take(&mut cache.torn.parts);
        let mut groups = std::mem::take(&mut cache.torn.groups);
        self.atomicity.twins.open(twin, &mut parts);
        self.states
            .open(&mut cache.blocks, twin.race, &mut groups)?;
        let now = Now {
            mark,
            kind: touch.kind,
            region: self.region(cursor, mark.strand),
            locks: self.exclusion.set(mark.hold),
            granule: touch.granule,
        };
        let next = self.step_parts(cache, cursor, now, twin, &mut parts, &groups, triples);
        (cache.torn.parts, cache.torn.groups) = (parts, groups);
        next
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one access")]
    fn step_parts(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        now: Now,
        twin: Twin,
        parts: &mut Parts,
        groups: &[Group],
        triples: &mut Vec<Triple>,
    ) -> Option<(Twin, Settled)> {
        let pairs = self.atomicity.twins.watch(twin.watch).pairs;
        let mut next = twin;
        let at = parts
            .locals
            .iter()
            .position(|local| local.region == now.region);
        let local = at.map_or(Local::of(now.region), |at| parts.locals[at]);
        let mut has_new = false;
        for (first, first_kind) in self.firsts_of(pairs, local, now) {
            let pair = Pair {
                first,
                last: now.mark,
                kinds: [first_kind, now.kind],
                mask: first.mask & now.mark.mask,
            };
            let kept = self.exclusion.kept(first.hold, now.mark.hold);
            if !self.has_pair(&parts.pairs, pair, kept) {
                has_new = true;
                self.try_middles(cache, cursor, now, pair, kept, groups, triples);
                self.keep_pair(cache, cursor, now, pair, kept, &mut parts.pairs)?;
            }
        }
        self.try_pairs(cache, cursor, now, &parts.pairs, groups, triples);
        let recents = &mut cache.torn.recents;
        if has_new {
            next = self
                .atomicity
                .twins
                .with_pairs(recents, next, &parts.pairs)?;
        }
        let noted = match pairs {
            Pairs::All | Pairs::None => self.noted(cache, now, local)?,
            Pairs::Updates => self.last_look(cache, now, local)?,
        };
        let Some(noted) = noted else {
            return Some((next, Settled::Yes));
        };
        match at {
            Some(at) => parts.locals[at] = noted,
            None => {
                parts.locals.retain(|local| self.is_open(local.region));
                parts.locals.push(noted);
            }
        }
        let recents = &mut cache.torn.recents;
        next = self
            .atomicity
            .twins
            .with_locals(recents, next, &parts.locals)?;
        Some((next, Settled::No))
    }

    /// What the region did first to these bytes.
    pub(super) fn firsts(&self, local: Local, mask: Mask) -> Firsts {
        let of = |list: ListId, kind| self.states.iter(list).map(move |mark| (mark, kind));
        of(local.reads, Read)
            .chain(of(local.writes, Write))
            .filter(|(mark, _)| mark.mask & mask != 0)
            .collect()
    }

    /// The region's first accesses if this is one of them.
    fn noted(&self, cache: &mut ThreadCache, now: Now, local: Local) -> Option<Option<Local>> {
        let mask_of = |list| {
            self.states
                .iter(list)
                .fold(0, |mask, mark| mask | mark.mask)
        };
        let done = match now.kind {
            Read => mask_of(local.reads) | mask_of(local.writes),
            Write => mask_of(local.writes),
        };
        let mask = now.mark.mask & !done;
        if mask == 0 {
            return Some(None);
        }
        let first = Mark { mask, ..now.mark };
        let mut noted = local;
        let list = match now.kind {
            Read => &mut noted.reads,
            Write => &mut noted.writes,
        };
        *list = self.states.push(&mut cache.blocks, *list, first)?;
        Some(Some(noted))
    }

    /// Whether a pair that ends in the same strand stands for this one.
    fn has_pair(&self, groups: &[PairGroup], pair: Pair, kept: LockSet) -> bool {
        let same = |group: &&PairGroup| group.kept == kept && group.torn_by >= pair.torn_by();
        let ends_here =
            |old: Pair| old.last.strand == pair.last.strand && old.mask & pair.mask == pair.mask;
        let twins = &self.atomicity.twins;
        groups
            .iter()
            .filter(same)
            .any(|group| twins.iter(group.list).take(SHORT as usize).any(ends_here))
    }

    /// Tries what touched the unit before as what comes between the two accesses of a new pair.
    #[allow(clippy::too_many_arguments, reason = "the parts of one access")]
    fn try_middles(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        now: Now,
        pair: Pair,
        kept: LockSet,
        groups: &[Group],
        triples: &mut Vec<Triple>,
    ) {
        for group in groups {
            if !self.exclusion.disjoint(kept, group.locks) {
                continue;
            }
            let reads = match pair.torn_by() {
                TornBy::All => group.reads,
                TornBy::Writes => ListId::EMPTY,
            };
            for (list, kind) in [(group.writes, Write), (reads, Read)] {
                for mark in self.states.iter(list) {
                    let bytes = mark.mask & pair.mask;
                    if bytes != 0 && !self.is_before(cache, cursor, now.granule, mark.strand) {
                        let middle = TornAccess { mark, kind };
                        let certainty = self.how_surely(cursor, mark.strand);
                        triples.push(triple(pair, middle, certainty, 2, bytes));
                    }
                }
            }
        }
    }

    /// Tries the access as what comes between the two accesses of an earlier pair. Not if the strand did the
    /// same before: those pairs were tried then, and later ones were tried against it.
    fn try_pairs(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        now: Now,
        pairs: &[PairGroup],
        groups: &[Group],
        triples: &mut Vec<Triple>,
    ) {
        let same = groups.iter().find(|group| group.locks == now.locks);
        let is_own = |strand| strand == now.mark.strand;
        if same.is_some_and(|group| self.has(group, now.mark, now.kind, is_own)) {
            return;
        }
        let is_torn = |group: &&PairGroup| {
            (now.kind == Write || group.torn_by == TornBy::All)
                && self.exclusion.disjoint(group.kept, now.locks)
        };
        for group in pairs.iter().filter(is_torn) {
            for pair in self.atomicity.twins.iter(group.list) {
                let bytes = pair.mask & now.mark.mask;
                let last = pair.last.strand;
                if bytes != 0 && !self.is_before(cache, cursor, now.granule, last) {
                    let middle = TornAccess {
                        mark: now.mark,
                        kind: now.kind,
                    };
                    let certainty = self.how_surely(cursor, last);
                    triples.push(triple(pair, middle, certainty, 1, bytes));
                }
            }
        }
    }

    /// How surely what an earlier strand did can also come after what is running now.
    fn how_surely(&self, cursor: &mut Cursor, earlier: u32) -> Certainty {
        match self.handed_over_beside_units(cursor, earlier) {
            true => Certainty::Possible,
            false => Certainty::Certain,
        }
    }

    /// Adds a pair, and forgets those it stands for.
    fn keep_pair(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        now: Now,
        pair: Pair,
        kept: LockSet,
        groups: &mut Vec<PairGroup>,
    ) -> Option<()> {
        let torn_by = pair.torn_by();
        for group in groups.iter_mut() {
            if torn_by >= group.torn_by && self.exclusion.within(kept, group.kept) {
                group.list = self.thin_pairs(cache, cursor, now, pair.mask, group.list)?;
            }
        }
        let key = (kept, torn_by);
        let at = groups.binary_search_by_key(&key, |group| (group.kept, group.torn_by));
        let at = at.unwrap_or_else(|at| {
            let list = PairList::EMPTY;
            groups.insert(
                at,
                PairGroup {
                    kept,
                    torn_by,
                    list,
                },
            );
            at
        });
        let list = groups[at].list;
        let departures = |pair: &Pair| self.forest.node(pair.last.strand).departures();
        let is_bounded = departures(&pair) == Departures::None && !self.keeps_all();
        groups[at].list = match is_bounded {
            false => self
                .atomicity
                .twins
                .push(&mut cache.torn.recents, list, pair)?,
            true => self.two_pairs(cache, list, pair)?,
        };
        Some(())
    }

    /// The list without what ends before the running strand, of no other bytes. Long lists are looked
    /// through when they have doubled.
    fn thin_pairs(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        now: Now,
        mask: Mask,
        list: PairList,
    ) -> Option<PairList> {
        let len = self.atomicity.twins.len(list);
        if len == 0 || len > SHORT && !len.is_power_of_two() {
            return Some(list);
        }
        self.without_pairs(cache, list, |cache, old| {
            old.mask & !mask == 0 && self.is_before(cache, cursor, now.granule, old.last.strand)
        })
    }

    fn without_pairs(
        &self,
        cache: &mut ThreadCache,
        list: PairList,
        mut drop: impl FnMut(&mut ThreadCache, Pair) -> bool,
    ) -> Option<PairList> {
        let twins = &self.atomicity.twins;
        let all: Vec<Pair> = twins.iter(list).collect();
        let kept = all.iter().copied();
        let kept: Vec<Pair> = kept.filter(|&pair| !drop(cache, pair)).collect();
        if kept.len() == all.len() {
            return Some(list);
        }
        let mut kept = kept.into_iter().rev();
        kept.try_fold(PairList::EMPTY, |rest, pair| {
            twins.push(&mut cache.torn.recents, rest, pair)
        })
    }

    /// The list with one more pair, or with the two of three whose last accesses have the highest common
    /// ancestor: enough while there are no locks and no extra edges.
    fn two_pairs(&self, cache: &mut ThreadCache, list: PairList, pair: Pair) -> Option<PairList> {
        let twins = &self.atomicity.twins;
        let mut others = twins
            .iter(list)
            .filter(|old| old.mask & pair.mask == pair.mask)
            .filter(|old| self.forest.node(old.last.strand).departures() == Departures::None);
        let (Some(second), Some(first)) = (others.next(), others.next()) else {
            return twins.push(&mut cache.torn.recents, list, pair);
        };
        let together = self.common_depth(first.last.strand, second.last.strand);
        if self.common_depth(first.last.strand, pair.last.strand) >= together {
            return Some(list);
        }
        let rest = self.without_pairs(cache, list, |_, old| {
            old.last.strand == second.last.strand && old.mask & !pair.mask == 0
        })?;
        twins.push(&mut cache.torn.recents, rest, pair)
    }
}

fn triple(
    pair: Pair,
    middle: TornAccess,
    certainty: Certainty,
    running: usize,
    bytes: Mask,
) -> Triple {
    let access = |mark, kind| TornAccess { mark, kind };
    Triple {
        accesses: [
            access(pair.first, pair.kinds[0]),
            middle,
            access(pair.last, pair.kinds[1]),
        ],
        certainty,
        running,
        bytes,
    }
}

impl Local {
    fn of(region: u32) -> Self {
        debug_assert!(region != NO_REGION);
        Self {
            region,
            reads: ListId::EMPTY,
            writes: ListId::EMPTY,
        }
    }
}
