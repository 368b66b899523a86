//! The quick way: few accesses without locks and without a race, in a bounded number of steps and without
//! allocation. What it cannot decide goes the general way (`general.rs`), which says the same of what it can.

use super::{Quick, Taken, Touch};
use crate::cache::ThreadCache;
use crate::engine::{Cursor, Engine, NO_STRAND};
use crate::exclusion::Hold;
use crate::plain::{Plain, SLOTS, Small};
use crate::racing::Way;
use crate::states::{Mark, StateId};
use crate::sync::{AtomicU32, Ordering};
use heddle_core::AccessKind::{self, Read, Write};
use heddle_core::order::tree::{Departures, Nodes};

/// Which access two others stand for.
enum Dropped {
    Nobody,
    /// The one being made.
    Now,
    /// An earlier one.
    Other(usize),
}

impl Engine {
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
        if let Some(next) = self.step_small(cache, cursor, touch.kind, state, now) {
            return Some(next);
        }
        self.step_rows(cache, cursor, touch, state, now)
    }

    /// The same for any history without locks that fits into a row before and after.
    #[inline(never)]
    fn step_rows(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        touch: Touch,
        state: StateId,
        now: Mark,
    ) -> Option<StateId> {
        let old = self.states.plains.get(state)?;
        let stands_for_now =
            |mark: &Mark| mark.strand == now.strand && mark.mask & now.mask == now.mask;
        if old.writes().iter().any(stands_for_now)
            || touch.kind == Read && old.reads().iter().any(stands_for_now)
        {
            return Some(state);
        }
        if touch.kind == Read && self.is_stood_for(cache, cursor, &old, now) {
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

    /// The same after at most one write and one read, all of the same bytes: most accesses of most programs. Only the
    /// tree is asked for orders.
    #[inline(always)]
    fn step_two(
        &self,
        cache: &mut ThreadCache,
        cursor: &Cursor,
        kind: AccessKind,
        state: StateId,
        now: Mark,
    ) -> Option<StateId> {
        let plains = &self.states.plains;
        let (write, read) = plains.at_most_two(state)?;
        let is_other = |mark: &Mark| mark.strand != now.strand;
        let is_alike = |mark: &Mark| mark.mask == now.mask;
        if !(write.iter().all(is_alike) && read.iter().all(is_alike)) {
            return None;
        }
        if !write.iter().all(is_other) {
            return (kind == Read || read.is_none()).then_some(state);
        }
        if kind == Read && !read.iter().all(is_other) {
            return Some(state);
        }
        let mut is_past = |mark: Option<Mark>| {
            mark.is_none_or(|mark| self.is_past(cache, cursor, mark.strand, now.strand))
        };
        if !(is_past(read) && is_past(write)) {
            return None;
        }
        match (kind, write) {
            (Read, Some(write)) => {
                plains.number_write_and_read(&mut cache.blocks.plain, write, now)
            }
            _ => plains.number_only(&mut cache.blocks.plain, kind, now),
        }
    }

    /// The same for all histories of at most two accesses before and after.
    #[inline(never)]
    fn step_small(
        &self,
        cache: &mut ThreadCache,
        cursor: &Cursor,
        kind: AccessKind,
        state: StateId,
        now: Mark,
    ) -> Option<StateId> {
        let old = self.states.plains.small(state)?;
        if old.stands_for(kind, now) {
            return Some(state);
        }
        let next = match kind {
            Read => self.small_after_read(cache, cursor, &old, now)?,
            Write => self.small_after_write(cache, cursor, &old, now)?,
        };
        self.states
            .plains
            .number_small(&mut cache.blocks.plain, &next)
    }

    #[inline(always)]
    fn small_after_write(
        &self,
        cache: &mut ThreadCache,
        cursor: &Cursor,
        old: &Small,
        mut now: Mark,
    ) -> Option<Small> {
        let bytes = now.mask;
        let mut kept = Small::EMPTY;
        for at in 0..old.len {
            let mark = old.marks[at];
            if mark.mask & bytes != 0 && !self.is_past(cache, cursor, mark.strand, now.strand) {
                return None;
            }
            let Some(left) = mark.without(bytes) else {
                continue;
            };
            if at == 0 && old.writes > 0 && left.is_same_place(now) {
                now.mask |= left.mask;
            } else {
                kept.push(left, at < old.writes)?;
            }
        }
        kept.push_first(now)
    }

    #[inline(always)]
    fn small_after_read(
        &self,
        cache: &mut ThreadCache,
        cursor: &Cursor,
        old: &Small,
        mut now: Mark,
    ) -> Option<Small> {
        let mut next = Small::EMPTY;
        for at in 0..old.writes {
            let mark = old.marks[at];
            if mark.mask & now.mask != 0 && !self.is_past(cache, cursor, mark.strand, now.strand) {
                return None;
            }
            next.push(mark, true)?;
        }
        let bytes = now.mask;
        let mut other = None;
        for at in old.writes..old.len {
            let mark = old.marks[at];
            let left = match self.is_past(cache, cursor, mark.strand, now.strand) {
                true => mark.without(bytes),
                // Another order may know better.
                false if self.has_layers() => return None,
                false => Some(mark),
            };
            match left {
                None => {}
                // Of two that are left, one may have to give way.
                Some(_) if other.is_some() => return None,
                Some(left) if left.is_same_place(now) => now.mask |= left.mask,
                Some(left) => other = Some(left),
            }
        }
        next.push(now, false)?;
        if let Some(mark) = other {
            next.push(mark, false)?;
        }
        Some(next)
    }

    /// Whether a read leaves a history as it is because two others stand for it: the common case of what very many tasks
    /// read. As [`after_read`](Self::after_read) says.
    fn is_stood_for(
        &self,
        cache: &mut ThreadCache,
        cursor: &Cursor,
        old: &Plain,
        now: Mark,
    ) -> bool {
        let mut covering = old
            .reads()
            .iter()
            .filter(|mark| mark.mask & now.mask == now.mask);
        let (Some(&second), Some(&first), None) =
            (covering.next(), covering.next(), covering.next())
        else {
            return false;
        };
        if !old.is_lossy || self.keeps_all() || cache.is_watched || self.has_layers() {
            return false;
        }
        let mut is_past = |mark: Mark| self.is_past(cache, cursor, mark.strand, now.strand);
        let is_seen = old
            .writes()
            .iter()
            .all(|&write| write.mask & now.mask == 0 || is_past(write));
        if !is_seen || is_past(first) || is_past(second) {
            return false;
        }
        let departures = self.forest.node(now.strand).departures();
        let is_of_its_sort = |mark: Mark| self.forest.node(mark.strand).departures() == departures;
        departures != Departures::Edges
            && is_of_its_sort(first)
            && is_of_its_sort(second)
            && self.depth_with(cache, first.strand, now.strand)
                >= self.depth_of_both(cache, first.strand, second.strand)
    }

    /// Whether `earlier` is known to precede the running strand `now`, from what the thread has asked before or from the
    /// tree alone.
    #[inline(always)]
    fn is_past(&self, cache: &mut ThreadCache, cursor: &Cursor, earlier: u32, now: u32) -> bool {
        earlier == now
            || self
                .remembered_order(cache, cursor, earlier, now)
                .unwrap_or_else(|| self.tree_says(cache, cursor, earlier, now))
    }

    #[inline(never)]
    fn tree_says(&self, cache: &mut ThreadCache, cursor: &Cursor, earlier: u32, now: u32) -> bool {
        let is_own = self.forest.node(earlier).task == cursor.task;
        let is_before = is_own || self.tree_orders(cache, earlier, now);
        if is_before {
            cache.orders.learn_past(earlier, cursor.task);
        }
        is_before
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
        let is_new = cursor.strand == NO_STRAND && self.has_layers();
        if is_new && !self.is_beside_layers(cursor.task) {
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
        let next = self
            .step_two(cache, cursor, touch.kind, state, now)
            .or_else(|| {
                (cache.is_particular, cache.is_hurried) = (false, true);
                let next = self.step_few(cache, cursor, touch, state, now);
                cache.is_hurried = false;
                next
            });
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
        if let Some(counted) = self.race_again(cache, cursor, touch, state, site, cell, Way::Quick)
        {
            return Some(counted);
        }
        let generation = self.generation.load(Ordering::Relaxed);
        let is_usual = state.twin().is_none()
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
                is_before && (!old.is_lossy || self.tree_orders(cache, mark.strand, now.strand));
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
        cache: &mut ThreadCache,
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
        let together = self.depth_of_both(cache, first.strand, second.strand);
        if self.depth_with(cache, first.strand, now.strand) >= together {
            Dropped::Now
        } else if second.mask & !now.mask == 0 {
            Dropped::Other(at)
        } else {
            Dropped::Nobody
        }
    }
}
