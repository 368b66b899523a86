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

mod general;
mod quick;
mod report;

use crate::cache::ThreadCache;
use crate::engine::{Cursor, Engine, Through};
use crate::exclusion::Hold;
use crate::racing::Way;
use crate::record::Made;
use crate::states::{LastId, Mark, Mask, StateId, WHOLE};
use crate::sync::{AtomicU32, Ordering};
use heddle_core::AccessKind::{self, Read, Write};
use heddle_core::Certainty;
use smallvec::SmallVec;
use std::ops::Range;

/// An access to one granule, as a front end says it.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// Read or write.
    pub kind: AccessKind,
    /// The granule.
    pub granule: u64,
    /// Its bytes that are touched.
    pub mask: u8,
}

/// A step that another granule in the same state would take as well.
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
        if cell.load(Ordering::Relaxed) != from.0 {
            return false;
        }
        if from == StateId::FRESH {
            self.shadow.settle(granule);
        }
        cell.compare_exchange(from.0, to.0, Ordering::AcqRel, Ordering::Relaxed)
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
        self.step_cell(cache, cursor, touch, site, hold, cell);
        let made = Made {
            task: cursor.task,
            kind: touch.kind,
            granule: touch.granule,
            mask: touch.mask,
            site,
            access: cache.torn.access(),
            is_fresh: cache.is_particular,
            is_atomic: hold != cursor.hold,
            is_private: hold == cache.private.1 && hold != Hold::NOTHING,
            is_racy: self
                .recorder
                .as_ref()
                .is_some_and(|recorder| recorder.met_race()),
            is_guarded: hold != Hold::NOTHING,
        };
        let is_named = book?.access(made);
        if is_named {
            (self.witness)(touch.granule, [site; 2]);
        }
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
        cache.racing.take_last();
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
                && let Some(_counted) =
                    self.race_again(cache, cursor, touch, state, site, cell, Way::Long)
            {
                return None;
            }
            let mut conflicts = Conflicts::new();
            cache.is_particular = false;
            let known = self.step_few(cache, cursor, touch, state, mark);
            let known = known.or_else(|| {
                cache.is_particular = false;
                cache.step(state, mark, kind)
            });
            let next =
                known.or_else(|| self.step(cache, cursor, touch, state, mark, &mut conflicts));
            let next = self.or_give_up(next)?;
            if !conflicts.is_empty() {
                // Before anyone can find the location in its new state.
                self.note_racing(strand, &conflicts);
            }
            match cell.compare_exchange(state.0, next.0, Ordering::AcqRel, Ordering::Acquire) {
                Err(now) => state = StateId(now),
                Ok(_) if conflicts.is_empty() => {
                    if known.is_none() && !cache.is_particular {
                        cache.learn_step(state, mark, kind, next);
                    }
                    if hold == cursor.hold || hold == cache.private.1 {
                        cache.learn(kind, next, mask);
                    }
                    if self.looks_again(kind) && self.look_again(cache, cursor, touch, state, mark)
                    {
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
}
