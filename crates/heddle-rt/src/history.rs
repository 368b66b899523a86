//! What an access does to its location's history: exact with extra edges, locks and hand-offs.
//!
//! After Cheng, Feng, Leiserson, Randall, Stark: *Detecting Data Races in Cilk Programs That Use
//! Locks* (All-Sets, 1998), with the order made exchangeable. A history is a numbered state and an access is a step
//! from one state to the next.
//!
//! # Rule
//! An earlier access is forgotten when a new one *stands for* it: the new one comes after it in
//! every schedule, holds no lock that the earlier did not hold, and writes if the earlier wrote.
//! Whatever later races with the forgotten access then also races with the new one: it cannot come
//! after the new one without coming after the old. The same holds with hand-offs counted as order,
//! so certainty is exact as well. Of three parallel accesses of one sort two stand for all, as long as the tree alone
//! orders them (Raman, Zhao, Sarkar, Vechev, Yahav: *Scalable and Precise Dynamic Datarace Detection for Structured
//! Parallelism*, 2012).
//!
//! # Hand-offs
//! A read under a lock, of a value last written in an earlier section of that lock, is a
//! hand-off: the strand that ended that section is counted as handed over to the reader. The edge
//! arrives *at the read*: what the section did before it cannot depend on the value.

use crate::cache::ThreadCache;
use crate::engine::{Cursor, Engine, NO_STRAND, Through};
use crate::exclusion::{Hold, LockSet};
use crate::plain::{Plain, SLOTS};
use crate::races::{Novelty, Race, RacyAccess, RacyBytes};
use crate::record::Made;
use crate::states::{Group, LastId, ListId, Mark, Mask, StateId, WHOLE};
use crate::sync::{AtomicU32, Ordering, PoisonError};
use heddle_core::AccessKind::{self, Read, Write};
use heddle_core::order::tree::{Departures, Nodes};
use heddle_core::{Access, Certainty, Finding, Place, SiteId, roster::Ancestry};
use smallvec::SmallVec;
use std::ops::Range;

/// Lists up to this length are thinned at every access.
const SHORT: u32 = 8;

/// Of accesses that may depend on what their section has read, so many are kept beside each other at least.
const EXCUSABLE: u32 = 4;

/// Whether it is this strand's turn to look through a list of this length: one in as many, whatever
/// the strands' numbers have in common.
fn is_turn(strand: u32, len: u32) -> bool {
    let spread = strand.wrapping_mul(0x9E37_79B1);
    u64::from(spread) * u64::from(len) < 1 << 32
}

/// An access to one granule, as a front end says it.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// Read or write.
    pub kind: AccessKind,
    /// The granule.
    pub granule: u64,
    /// Its bytes that are touched.
    pub mask: u8,
    /// Strands below this number touched something else that was at the same place: what is known of
    /// them is void.
    pub since: u32,
}

/// A step that another granule in the same state, whose history is void before the same strand, would take as well.
#[derive(Clone, Copy, Debug)]
pub struct Taken {
    pub(crate) from: StateId,
    pub(crate) to: StateId,
}

/// What became of an access in the quick way.
#[derive(Clone, Copy, Debug)]
pub enum Quick {
    /// It took a step.
    Stepped(Taken),
    /// It was counted as a race of this granule's. That says nothing of other granules in the same state.
    Counted,
}

/// Which access two others stand for.
enum Dropped {
    Nobody,
    /// The one being made.
    Now,
    /// An earlier one.
    Other(usize),
}

/// A past access the running one races with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conflict {
    pub(crate) mark: Mark,
    pub(crate) kind: AccessKind,
    pub(crate) certainty: Certainty,
}

impl Conflict {
    /// With a write that is found again.
    pub(crate) fn with_write(mark: Mark) -> Self {
        Self {
            mark,
            kind: Write,
            certainty: Certainty::Certain,
        }
    }
}

/// Those of one access: hardly ever more than a few.
pub(crate) type Conflicts = SmallVec<[Conflict; 4]>;

impl Engine {
    /// An access to whole granules, one after the other.
    #[inline(always)]
    pub(crate) fn sweep(
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
        self.sweep_on(kind, cache, cursor, start, len, &site, &mut false);
    }

    /// One access to granules that do not all follow each other.
    pub(crate) fn sweep_ranges(
        &self,
        kind: AccessKind,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        ranges: &[Range<u64>],
        site: impl Fn() -> u32,
    ) {
        if kind == Read && cursor.hold != Hold::NOTHING {
            for range in ranges {
                self.receive_all(cache, cursor, range.start, range.end - range.start);
            }
        }
        let mut has_begun = false;
        for range in ranges {
            let len = range.end - range.start;
            self.sweep_on(kind, cache, cursor, range.start, len, &site, &mut has_begun);
        }
    }

    /// An access, or as much of it as is to neighbours, after it was handed what it reads.
    #[allow(clippy::too_many_arguments, reason = "the parts of one access")]
    #[inline(always)]
    fn sweep_on(
        &self,
        kind: AccessKind,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        start: u64,
        len: u64,
        site: &impl Fn() -> u32,
        has_begun: &mut bool,
    ) {
        cache.follow(cursor.strand);
        let mut last = None;
        for granule in start..start.saturating_add(len) {
            if self.knows(cache, kind, granule, WHOLE) || self.repeat(last, granule) {
                continue;
            }
            let touch = Touch {
                kind,
                granule,
                mask: WHOLE,
                since: 0,
            };
            if !*has_begun {
                self.begin_access(cache, cursor);
                *has_begun = true;
            }
            let (hold, site) = (cursor.hold, site());
            let is_quick = hold == Hold::NOTHING && self.is_quick();
            let quick = is_quick.then(|| self.touch_quickly(cache, cursor, touch, site));
            last = match quick.flatten() {
                Some(Quick::Stepped(taken)) => Some(taken),
                Some(Quick::Counted) => None,
                None => self.make(cache, cursor, touch, site, hold),
            };
        }
    }

    /// Takes the same step for the next granule of a sweep, if it is in the same state.
    #[inline]
    fn repeat(&self, last: Option<Taken>, granule: u64) -> bool {
        let (Some(Taken { from, to }), Some(cell)) = (last, self.shadow.cell(granule)) else {
            return false;
        };
        cell.load(Ordering::Relaxed) == from.0
            && cell
                .compare_exchange(from.0, to.0, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok()
    }

    /// Whether the strand that `cache` follows has made such an access before.
    #[inline(always)]
    fn knows(&self, cache: &ThreadCache, kind: AccessKind, granule: u64, mask: u8) -> bool {
        match self.shadow.cell(granule) {
            Some(cell) => cache.knows(kind, StateId(cell.load(Ordering::Acquire)), mask),
            None => self.or_give_up::<()>(None).is_none(),
        }
    }

    /// An access that may change its granule's state. Gives the step it took, if any other granule in
    /// the same state would take it too.
    #[cold]
    pub fn touch(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        touch: Touch,
        site: u32,
    ) -> Option<Taken> {
        let hold = cursor.hold;
        self.make(cache, cursor, touch, site, hold)
    }

    /// An atomic access: never a race with another atomic one.
    #[cold]
    pub fn touch_atomically(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        touch: Touch,
        site: u32,
    ) {
        self.excludes();
        self.begin_access(cache, cursor);
        if cache.atomic.0 != cursor.hold || cache.atomic.1 == Hold::NOTHING {
            let hold = self.or_give_up(self.exclusion.atomically(cursor.hold));
            cache.atomic = (cursor.hold, hold.unwrap_or(Hold::NOTHING));
        }
        let hold = cache.atomic.1;
        self.make(cache, cursor, touch, site, hold);
    }

    /// An access of a thread to storage of its own: never a race with another such access, because
    /// tasks that meet there ran on one thread. With those of other threads it may race.
    ///
    /// # Known miss
    /// Of the parallel tasks that did the same, two are remembered, as of
    /// readers. Where extra edges order one of them, another may be missed.
    #[cold]
    pub fn touch_private(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        touch: Touch,
        site: u32,
    ) {
        if cache.private.0 != cursor.hold || cache.private.1 == Hold::NOTHING {
            let hold = self.or_give_up(self.exclusion.privately(cursor.hold));
            cache.private = (cursor.hold, hold.unwrap_or(Hold::NOTHING));
        }
        let hold = cache.private.1;
        self.make(cache, cursor, touch, site, hold);
    }

    fn make(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        touch: Touch,
        site: u32,
        hold: Hold,
    ) -> Option<Taken> {
        let cell = self.or_give_up(self.shadow.cell(touch.granule))?;
        match self.recorder.is_some() {
            true => self.make_on_record(cache, cursor, touch, site, hold, cell),
            false => self.step_cell(cache, cursor, touch, site, hold, cell),
        }
    }

    /// The same, while no other access is made. What the step holds for is not told: each granule is to
    /// be recorded.
    #[cold]
    fn make_on_record(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        touch: Touch,
        site: u32,
        hold: Hold,
        cell: &AtomicU32,
    ) -> Option<Taken> {
        let book = self.open_book();
        let before = self.race_of(StateId(cell.load(Ordering::Acquire)));
        let is_stale = self.live(before, touch.since) != before;
        self.step_cell(cache, cursor, touch, site, hold, cell);
        let made = Made {
            task: cursor.task,
            kind: touch.kind,
            granule: touch.granule,
            mask: touch.mask,
            site,
            access: cache.torn.access(),
            is_fresh: is_stale || cache.is_particular,
            is_atomic: hold != cursor.hold,
            is_racy: self
                .recorder
                .as_ref()
                .is_some_and(|recorder| recorder.met_race()),
        };
        book?.access(made);
        None
    }

    pub(crate) fn step_cell(
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
        if state == StateId::FRESH && self.reports_races {
            self.shadow.settle(touch.granule);
        }
        loop {
            if self.is_watched(state) {
                return self.step_watched(cache, cursor, touch, site, hold, cell);
            }
            if !self.reports_races && self.needs_no_history(state, hold) {
                return self.pass_over(cache, cursor, touch, state);
            }
            if hold != Hold::NOTHING {
                match kind {
                    Read => self.receive(cache, cursor, state, mask, Through::Location),
                    Write => self.overtake(cache, cursor, state, mask),
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
            if hold == Hold::NOTHING
                && let Some(_counted) = self.race_again(cache, cursor, touch, state, site, cell)
            {
                return None;
            }
            let mut conflicts = Conflicts::new();
            let live = self.live(state, touch.since);
            cache.is_particular = false;
            let known = self.step_few(cache, cursor, touch, live, mark);
            let known = known.or_else(|| {
                cache.is_particular = false;
                cache.step(live, mark, kind)
            });
            let next =
                known.or_else(|| self.step(cache, cursor, touch, live, mark, &mut conflicts));
            let next = self.or_give_up(next)?;
            if !conflicts.is_empty() {
                // Before anyone can find the location in its new state.
                self.note_racing(strand, &conflicts);
            }
            match cell.compare_exchange(state.0, next.0, Ordering::AcqRel, Ordering::Acquire) {
                Err(now) => state = StateId(now),
                Ok(_) if conflicts.is_empty() => {
                    if known.is_none() && !cache.is_particular {
                        cache.learn_step(live, mark, kind, next);
                    }
                    if hold == cursor.hold || hold == cache.private.1 {
                        cache.learn(kind, next, mask);
                    }
                    if self.looks_again(kind) && self.look_again(cache, cursor, touch, live, mark) {
                        return None;
                    }
                    let repeatable = hold == Hold::NOTHING && !cache.is_particular;
                    return repeatable.then_some(Taken {
                        from: state,
                        to: next,
                    });
                }
                Ok(_) => {
                    self.report(cache, touch.granule, kind, mark, &conflicts);
                    if kind == Read {
                        self.receive_racy(cursor, touch.granule, &conflicts);
                    }
                    let (from, to) = (state, next);
                    let taken = Taken { from, to };
                    self.keep_race(cache, cursor, touch, taken, mark, &conflicts);
                    return None;
                }
            }
        }
    }

    /// Whether an access to something that is not watched says nothing of what is: it hands nothing over.
    fn needs_no_history(&self, state: StateId, hold: Hold) -> bool {
        hold == Hold::NOTHING
            && self.recorder.is_none()
            && self.states.last(state) == LastId::NOTHING
    }

    /// An access of which nothing is remembered, here and wherever nothing else is.
    fn pass_over(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        touch: Touch,
        state: StateId,
    ) -> Option<Taken> {
        cache.follow(self.strand(cursor));
        cache.learn(touch.kind, state, touch.mask);
        Some(Taken {
            from: state,
            to: state,
        })
    }

    /// One read is one access: what any of its locations hands over arrives before all of it.
    #[cold]
    fn receive_all(&self, cache: &mut ThreadCache, cursor: &mut Cursor, start: u64, len: u64) {
        for granule in start..start.saturating_add(len) {
            let Some(cell) = self.shadow.cell(granule) else {
                return;
            };
            let state = StateId(cell.load(Ordering::Acquire));
            match self.is_watched(state) {
                true => self.receive_watched(cache, cursor, state, granule, WHOLE),
                false => self.receive(cache, cursor, state, WHOLE, Through::Location),
            }
        }
    }

    /// Notes the hand-offs a read in this state receives.
    pub(crate) fn receive(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        state: StateId,
        mask: Mask,
        through: Through,
    ) {
        let last = self.states.last(state);
        if last == LastId::NOTHING {
            return;
        }
        for wrote in self.states.held_at(last, mask) {
            for from in self.exclusion.handed_from(wrote, cursor.hold) {
                if !self.precedes(cache, cursor, from) && !self.has_received(cursor, from, through)
                {
                    self.receive_from(cursor, from, through);
                }
            }
        }
    }

    fn has_received(&self, cursor: &mut Cursor, from: u32, through: Through) -> bool {
        self.handed_over(cursor, from)
            && match through {
                Through::Unit => true,
                Through::Location => self.handed_over_beside_units(cursor, from),
                // What was received through others may turn out not to count.
                Through::Granule(_) => false,
            }
    }

    /// Where an access leads that holds nothing, if the history has no locks, few accesses, and none that it
    /// races with: the common case, without allocation. [`step`](Self::step) says the same of it, and knows all the
    /// others.
    #[inline]
    pub(crate) fn step_few(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        touch: Touch,
        state: StateId,
        now: Mark,
    ) -> Option<StateId> {
        if now.hold != Hold::NOTHING {
            return None;
        }
        if let Some(next) = self.step_one(cache, cursor, touch, state, now) {
            return Some(next);
        }
        let old = self.states.plains.get(state)?;
        let stands_for_now =
            |mark: &Mark| mark.strand == now.strand && mark.mask & now.mask == now.mask;
        if old.writes().iter().any(stands_for_now)
            || touch.kind == Read && old.reads().iter().any(stands_for_now)
        {
            return Some(state);
        }
        let next = match touch.kind {
            Read => self.after_read(cache, cursor, touch, &old, now)?,
            Write => self.after_write(cache, cursor, touch, &old, now)?,
        };
        match next.is_same(&old) {
            true => Some(state),
            false => self.states.plains.number(&mut cache.blocks.plain, &next),
        }
    }

    /// The same after at most one access, which this one covers, where one is left: most accesses of most programs.
    #[inline(always)]
    fn step_one(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        touch: Touch,
        state: StateId,
        now: Mark,
    ) -> Option<StateId> {
        let plains = &self.states.plains;
        if state == StateId::FRESH {
            return plains.number_only(&mut cache.blocks.plain, touch.kind, now);
        }
        let (kind, old) = plains.only(state)?;
        if old.strand == now.strand
            && old.mask & now.mask == now.mask
            && (kind == Write || touch.kind == Read)
        {
            return Some(state);
        }
        let replaces = touch.kind == Write || kind == Read;
        let is_replaced = replaces
            && old.mask & !now.mask == 0
            && self.is_before(cache, cursor, touch.granule, old.strand);
        match is_replaced {
            true => plains.number_only(&mut cache.blocks.plain, touch.kind, now),
            false => None,
        }
    }

    /// As [`touch`](Self::touch) by a task that holds nothing, if the history is plain, there is no race and no other
    /// thread interferes; none if the long way must be gone. Neither allocates, nor calls what the front end gave, nor
    /// takes a lock but that on rows to use again.
    #[inline]
    pub fn touch_quickly(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        touch: Touch,
        site: u32,
    ) -> Option<Quick> {
        let cell = self.shadow.cell(touch.granule)?;
        let state = StateId(cell.load(Ordering::Acquire));
        let is_fresh = state == StateId::FRESH;
        if self.looks_again(touch.kind) {
            return None;
        }
        if state.is_general() && !is_fresh {
            return self.pass_usual_race(cache, cursor, touch, state, site, cell);
        }
        // A new strand must be told to the layers, which are locked.
        if cursor.strand == NO_STRAND && self.has_layers() {
            return None;
        }
        if is_fresh {
            self.shadow.settle(touch.granule);
        }
        let strand = self.strand_outside_layers(cursor);
        if !cache.follow_at_once(strand) {
            return None;
        }
        let now = Mark {
            strand,
            site,
            hold: Hold::NOTHING,
            mask: touch.mask,
        };
        let live = self.live(state, touch.since);
        (cache.is_particular, cache.is_hurried) = (false, true);
        let next = self.step_few(cache, cursor, touch, live, now);
        cache.is_hurried = false;
        let Some(next) = next else {
            return self.pass_usual_race(cache, cursor, touch, state, site, cell);
        };
        cell.compare_exchange(state.0, next.0, Ordering::AcqRel, Ordering::Relaxed)
            .ok()?;
        cache.learn(touch.kind, next, touch.mask);
        Some(Quick::Stepped(Taken {
            from: state,
            to: next,
        }))
    }

    /// An access that races as others of its strand do, or would race as it has done again and again: then it is
    /// counted, and not remembered.
    fn pass_usual_race(
        &self,
        cache: &mut ThreadCache,
        cursor: &Cursor,
        touch: Touch,
        state: StateId,
        site: u32,
        cell: &AtomicU32,
    ) -> Option<Quick> {
        if let Some(counted) = self.race_again(cache, cursor, touch, state, site, cell) {
            return Some(counted);
        }
        let generation = self.generation.load(Ordering::Relaxed);
        let is_usual = state.twin().is_none()
            && touch.since == 0
            && cache
                .met
                .is_usual(generation, touch.granule, site, touch.kind, touch.mask);
        is_usual.then_some(Quick::Counted)
    }

    /// Whether accesses may be made by [`touch_quickly`](Self::touch_quickly): races are looked for, nothing is
    /// recorded, and not everything is watched.
    pub fn is_quick(&self) -> bool {
        self.reports_races && self.recorder.is_none() && !self.atomicity.is_all
    }

    /// The history after a write; none if it races, or does not fit.
    #[inline]
    fn after_write(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        touch: Touch,
        old: &Plain,
        mut now: Mark,
    ) -> Option<Plain> {
        for mark in old.writes().iter().chain(old.reads()) {
            if mark.mask & touch.mask != 0
                && !self.is_before(cache, cursor, touch.granule, mark.strand)
            {
                return None;
            }
        }
        if old.is_lossy {
            self.check_for_loss(cursor, old.reads().iter().copied());
        }
        let left = |mark: &Mark| mark.without(touch.mask);
        let mut writes = old.writes().iter().filter_map(left).peekable();
        if let Some(same) = writes.next_if(|mark| mark.is_same_place(now)) {
            now.mask |= same.mask;
        }
        let mut next = Plain::EMPTY;
        next.push_write(now)?;
        for mark in writes {
            next.push_write(mark)?;
        }
        for mark in old.reads().iter().filter_map(left) {
            next.push_read(mark)?;
        }
        Some(next)
    }

    /// The history after a read; none if it races, or does not fit.
    #[inline]
    fn after_read(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        touch: Touch,
        old: &Plain,
        mut now: Mark,
    ) -> Option<Plain> {
        let mut next = Plain::EMPTY;
        for &mark in old.writes() {
            if mark.mask & now.mask != 0
                && !self.is_before(cache, cursor, touch.granule, mark.strand)
            {
                return None;
            }
            next.push_write(mark)?;
        }
        next.is_lossy = old.is_lossy;
        let (mut kept, mut is_past, mut len) = ([now; SLOTS], [false; SLOTS], 0);
        for &mark in old.reads() {
            let is_before = self.is_before(cache, cursor, touch.granule, mark.strand);
            let is_over =
                is_before && (!old.is_lossy || self.is_ordered_by_tree(mark.strand, now.strand));
            let left = match is_over {
                true => mark.without(touch.mask),
                false => Some(mark),
            };
            if let Some(mark) = left {
                (kept[len], is_past[len]) = (mark, is_before);
                len += 1;
            }
        }
        let (kept, is_past) = (&kept[..len], &is_past[..len]);
        let mut left_out = None;
        if kept.first().is_some_and(|first| first.is_same_place(now)) {
            now.mask |= kept[0].mask;
            left_out = Some(0);
        } else {
            match self.who_is_dropped(cache, kept, is_past, now) {
                Dropped::Nobody => {}
                Dropped::Now => left_out = Some(len),
                Dropped::Other(at) => left_out = Some(at),
            }
            next.is_lossy |= left_out.is_some();
        }
        if left_out != Some(len) {
            next.push_read(now)?;
        }
        for (at, &mark) in kept.iter().enumerate() {
            if left_out != Some(at) {
                next.push_read(mark)?;
            }
        }
        Some(next)
    }

    /// Which of three reads of one sort need not be kept: see [`two_of_three`](Self::two_of_three).
    #[inline]
    fn who_is_dropped(
        &self,
        cache: &ThreadCache,
        reads: &[Mark],
        is_past: &[bool],
        now: Mark,
    ) -> Dropped {
        if reads.len() < 2 || self.keeps_all() || cache.is_watched {
            return Dropped::Nobody;
        }
        let departures = self.forest.node(now.strand).departures();
        if departures == Departures::Edges {
            return Dropped::Nobody;
        }
        let mut of_its_sort = reads.iter().enumerate().filter(|(at, mark)| {
            !is_past[*at]
                && mark.mask & now.mask == now.mask
                && self.forest.node(mark.strand).departures() == departures
        });
        let (Some((at, second)), Some((_, first))) = (of_its_sort.next(), of_its_sort.next())
        else {
            return Dropped::Nobody;
        };
        let together = self.common_depth(first.strand, second.strand);
        if self.common_depth(first.strand, now.strand) >= together {
            Dropped::Now
        } else if second.mask & !now.mask == 0 {
            Dropped::Other(at)
        } else {
            Dropped::Nobody
        }
    }

    /// A list stands for accesses that were dropped from it only as long as the tree orders those that were kept.
    #[cold]
    fn check_for_loss(&self, cursor: &mut Cursor, mut marks: impl Iterator<Item = Mark>) {
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
            Read => {
                cursor.looks();
                self.states.look(&mut cache.blocks, before, now)?
            }
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
        self.remember(cache, groups, locks, now, kind, conflicts)?;
        if kind == Read && last == before && only.is_some_and(|only| *groups == [only]) {
            return Some(state);
        }
        self.states.close(&mut cache.blocks, groups, last)
    }

    /// The state without what touched another object at the same place. If the newest access was to
    /// the present object, it has dropped the others.
    #[inline]
    pub(crate) fn live(&self, state: StateId, since: u32) -> StateId {
        match since > 0 && self.states.newest(state) < since {
            true => StateId::FRESH,
            false => state,
        }
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
                    || self.is_ordered_by_tree(mark.strand, self.strand(cursor)))
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
        kind: AccessKind,
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
            _ if self.is_redundant(*list, now, conflicts) => *list,
            _ if is_private => self.two_of_three(cache, *list, now, |_| true)?,
            Write if now.hold == Hold::NOTHING => self.states.add(&mut cache.blocks, *list, now)?,
            _ => self.remember_in(cache, *list, now, |_| true)?,
        };
        Some(())
    }

    /// Whether the location is known to have a certain race and two accesses at the same place of the program
    /// are remembered: then one more says nothing new.
    fn is_redundant(&self, list: ListId, now: Mark, conflicts: &[Conflict]) -> bool {
        let is_certain = |conflict: &Conflict| conflict.certainty == Certainty::Certain;
        conflicts.iter().any(is_certain)
            && self
                .states
                .iter(list)
                .filter(|mark| mark.site == now.site && mark.mask & now.mask == now.mask)
                .nth(1)
                .is_some()
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
                && !self.is_ordered(mark.strand, now.strand)
        };
        let mut others = self.states.iter(list).filter(covers);
        let (Some(second), Some(first)) = (others.next(), others.next()) else {
            return self.states.add(&mut cache.blocks, list, now);
        };
        let together = self.common_depth(first.strand, second.strand);
        if self.common_depth(first.strand, now.strand) >= together {
            return self.states.mark_lossy(&mut cache.blocks, list);
        }
        let replaced = |mark: Mark| mark.strand == second.strand && mark.mask & !now.mask == 0;
        let rest = self.without(cache, list, |_, mark| replaced(mark))?;
        let list = self.states.push(&mut cache.blocks, rest, now)?;
        self.states.mark_lossy(&mut cache.blocks, list)
    }

    #[cold]
    pub(crate) fn report(
        &self,
        cache: &mut ThreadCache,
        location: u64,
        kind: AccessKind,
        now: Mark,
        conflicts: &[Conflict],
    ) {
        if !self.reports_races {
            return;
        }
        if let Some(recorder) = &self.recorder {
            recorder.meets_race();
        }
        let racy = |mark: Mark, kind| RacyAccess {
            kind,
            site: mark.site,
            strand: mark.strand,
            hold: mark.hold,
        };
        let generation = self.generation.load(Ordering::Acquire);
        let (mut usual, mut is_new) = (None, false);
        for &Conflict {
            mark,
            kind: earlier,
            certainty,
        } in conflicts
        {
            let (sites, bytes) = ([mark.site, now.site], mark.mask & now.mask);
            let met = &mut cache.met;
            if met.again(generation, location, sites, certainty, bytes) {
                if certainty == Certainty::Certain && bytes == now.mask {
                    usual = Some(sites);
                }
                continue;
            }
            is_new = true;
            let (earlier, now) = (racy(mark, earlier), racy(now, kind));
            let mut races = self.races.lock().unwrap_or_else(PoisonError::into_inner);
            let novelty = races.add(met, location, earlier, now, certainty, bytes);
            drop(races);
            if novelty == Novelty::New {
                (self.witness)(location, sites);
            }
        }
        if let Some(sites) = usual.filter(|_| !is_new) {
            cache.met.grows_usual(location, sites, kind, now.mask);
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

    /// All bytes that each pair of sites raced on, where locations are
    /// [bounded](Self::bound_race_locations).
    pub fn racy_bytes(&self) -> Vec<RacyBytes> {
        let races = self.races.lock().unwrap_or_else(PoisonError::into_inner);
        races.bytes()
    }

    /// Which bytes of their locations the races found so far are on, in the sequence of
    /// [`races`](Self::races).
    pub fn race_bytes(&self) -> Vec<u8> {
        let races = self.races.lock().unwrap_or_else(PoisonError::into_inner);
        races.iter().map(|race| race.bytes).collect()
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
            count: race.count(),
        }
    }
}
