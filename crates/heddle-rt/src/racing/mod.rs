//! Steps that race, taken again: what a racy loop over an array costs beside a clean one.
//!
//! Where an access leads from a state, and what it races with, depends on the state, the strand and the place of the
//! program, not on the granule. So once a pair of positions has as many locations as are told apart
//! ([`crate::races`]), the step is kept with what it races with. Another granule in the same state takes it, and all
//! that is left to say of it is which bytes it has. Each thread says so in a [`Meter`] of its own, which is drained
//! when it is full and read in the end.
//!
//! Kept are steps of tasks that hold nothing, whose races are all certain, and which hold for any granule, or for any
//! that the thread does not own.

mod meter;

use crate::cache::ThreadCache;
use crate::engine::{Cursor, Engine};
use crate::exclusion::Hold;
use crate::history::{Conflict, Quick, Taken, Touch};
use crate::races::Races;
#[cfg(not(feature = "shuttle"))]
use crate::spread::GRANULE;
use crate::spread::bytes_of;

#[cfg(not(feature = "shuttle"))]
use crate::states::WHOLE;
use crate::states::{Mark, StateId};
use crate::sync::{Arc, AtomicU32, Ordering, PoisonError};
use heddle_core::{AccessKind, Certainty};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

pub use meter::Meter;

/// Steps that a thread keeps. A step that is lost is worked out again and ends in a state of another number, from
/// which all further steps must be worked out again as well: so there is room for those of a loop with many lines.
const STEPS: usize = 1024;

/// Slots that a step may lie in.
const WAYS: usize = 4;

/// Meters that the common path may be told of. A line of an unrolled loop is at several places of the program.
pub(crate) const METERS: usize = 1024;

/// A step that races.
#[derive(Clone, Debug)]
struct RacingStep {
    taken: Taken,
    mark: Mark,
    kind: AccessKind,
    /// One for each access that it races with, and the bytes of these.
    races: SmallVec<[(Arc<Meter>, u8); 2]>,
    /// The number of its meter, if the common path may take it.
    number: Option<u32>,
    /// Whether it races with another piece of the same member's work. What the thread owns cannot race so.
    is_of_pieces: bool,
}

/// How an access came to be compared with steps that race.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// Without asking the front end, without allocation.
    Quick,
    /// With both.
    Long,
}

impl RacingStep {
    fn has_room(&self) -> bool {
        self.races.iter().all(|(meter, _)| meter.has_room())
    }

    /// Whether a granule in its state may take it; on the long way room is made for that.
    #[inline]
    fn is_ready(&self, engine: &Engine, granule: u64, way: Way) -> bool {
        let has_room = self.has_room();
        match way {
            Way::Quick => has_room && !self.is_of_pieces,
            Way::Long if self.is_of_pieces && (engine.owned)(granule) => false,
            Way::Long => {
                if !has_room {
                    let mut all = engine.races.lock().unwrap_or_else(PoisonError::into_inner);
                    self.races.iter().for_each(|(meter, _)| all.drain(meter));
                }
                true
            }
        }
    }

    fn is_from(&self, state: StateId, strand: u32, touch: Touch, site: u32) -> bool {
        self.taken.from == state
            && (self.mark.strand, self.mark.site) == (strand, site)
            && (self.mark.mask, self.kind) == (touch.mask, touch.kind)
    }
}

/// Those of one thread.
#[derive(Debug, Default)]
pub(crate) struct RacingSteps {
    generation: u32,
    steps: Box<[Option<RacingStep>]>,
    /// Which slot of a full set is used next.
    turn: usize,
    /// By the positions of the earlier access and of this one; with its number for the common path.
    meters: FxHashMap<(u32, u32), (Arc<Meter>, u32)>,
    /// All that the common path was told of.
    numbered: Vec<Arc<Meter>>,
    /// The step that was kept or taken last, with the number of its meter, if the common path may take it.
    last: Option<(Taken, u32)>,
}

impl RacingSteps {
    /// Where the slots begin that a step may lie in.
    fn set(state: StateId, site: u32) -> usize {
        let mix = u64::from(state.0) << 32 | u64::from(site);
        let mix = mix.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mix >> 40) as usize % (STEPS / WAYS) * WAYS
    }

    /// Keeps a step in place of one that is of no use any more, if there is one in its set.
    fn keep(&mut self, step: RacingStep) {
        let set = Self::set(step.taken.from, step.mark.site);
        let is_useless = |old: &Option<RacingStep>| {
            old.as_ref().is_none_or(|old| {
                old.mark.strand != step.mark.strand
                    || (old.taken.from, old.mark, old.kind)
                        == (step.taken.from, step.mark, step.kind)
            })
        };
        let slots = &mut self.steps[set..set + WAYS];
        let slot = slots.iter().position(is_useless).unwrap_or_else(|| {
            self.turn = self.turn.wrapping_add(1);
            self.turn % WAYS
        });
        slots[slot] = Some(step);
    }

    /// The states they begin and end in are about to stand for others.
    #[cfg(not(feature = "shuttle"))]
    pub(crate) fn forget(&mut self) {
        self.steps.fill(None);
        self.last = None;
    }

    /// What was found is another process's.
    pub(crate) fn reset(&mut self) {
        self.steps = Box::default();
        self.meters.clear();
        self.last = None;
    }

    /// The step that was kept or taken last.
    pub(crate) fn take_last(&mut self) -> Option<(Taken, u32)> {
        self.last.take()
    }

    /// The meter of a pair of positions, if one is to be had.
    fn meter(&mut self, all: &mut Races, sites: (u32, u32)) -> Option<(Arc<Meter>, u32)> {
        let known = self.meters.get(&sites).cloned();
        let pair = (sites.0.min(sites.1), sites.0.max(sites.1));
        let meter = all.meter(pair, known.as_ref().map(|(meter, _)| meter))?;
        if let Some(known) = known {
            return Some(known);
        }
        let number = match self.numbered.len() + 1 < METERS {
            true => {
                self.numbered.push(Arc::clone(&meter));
                self.numbered.len() as u32
            }
            false => 0,
        };
        self.meters.insert(sites, (Arc::clone(&meter), number));
        Some((meter, number))
    }

    /// The meter with this number.
    pub(crate) fn numbered(&self, number: u32) -> *const Meter {
        let meter = (number as usize).checked_sub(1);
        let meter = meter.and_then(|row| self.numbered.get(row));
        meter.map_or(std::ptr::null(), Arc::as_ptr)
    }

    #[inline]
    fn find(
        &self,
        generation: u32,
        state: StateId,
        strand: u32,
        touch: Touch,
        site: u32,
    ) -> Option<&RacingStep> {
        if self.generation != generation {
            return None;
        }
        let set = Self::set(state, site);
        let slots = self.steps.get(set..set + WAYS)?;
        let mut steps = slots.iter().flatten();
        steps.find(|step| step.is_from(state, strand, touch, site))
    }
}

impl Engine {
    /// Takes a step that races and is known, if there is one: whether there was.
    #[allow(clippy::too_many_arguments, reason = "the parts of one access")]
    #[inline]
    pub(crate) fn race_again(
        &self,
        cache: &mut ThreadCache,
        cursor: &Cursor,
        touch: Touch,
        state: StateId,
        site: u32,
        cell: &AtomicU32,
        way: Way,
    ) -> Option<Quick> {
        let racing = &mut cache.racing;
        if racing.steps.is_empty() {
            return None;
        }
        racing.last = None;
        let generation = self.generation.load(Ordering::Relaxed);
        let step = racing.find(generation, state, cursor.strand(), touch, site)?;
        if !step.is_ready(self, touch.granule, way) {
            return None;
        }
        let taken = step.taken;
        cell.compare_exchange(
            taken.from.0,
            taken.to.0,
            Ordering::AcqRel,
            Ordering::Relaxed,
        )
        .ok()?;
        for (meter, mask) in &step.races {
            let (from, to) = bytes_of(touch.granule, *mask);
            meter.add(from, to);
        }
        racing.last = step.number.map(|number| (taken, number));
        Some(Quick::Counted)
    }

    /// The same for whole granules, one after the other: the first that needs more.
    #[cfg(not(feature = "shuttle"))]
    pub fn race_all_again(
        &self,
        cache: &ThreadCache,
        cursor: &Cursor,
        kind: AccessKind,
        granules: std::ops::Range<u64>,
        site: impl Fn() -> u32,
    ) -> u64 {
        let (generation, strand) = (self.generation.load(Ordering::Relaxed), cursor.strand());
        let (view, mut at) = (self.shadow.view(), granules.start);
        if cursor.hold != Hold::NOTHING || cache.racing.steps.is_empty() {
            return at;
        }
        let site = site();
        while at < granules.end {
            // SAFETY: the view is of this engine, which is there.
            let Some(cells) = (unsafe { view.cells(at..granules.end) }) else {
                break;
            };
            let touch = Touch {
                kind,
                granule: at,
                mask: WHOLE,
            };
            let state = StateId(cells[0].load(Ordering::Acquire));
            let step = cache.racing.find(generation, state, strand, touch, site);
            let is_whole = |step: &&RacingStep| {
                step.has_room()
                    && !step.is_of_pieces
                    && step.races.iter().all(|race| race.1 == WHOLE)
            };
            let Some(step) = step.filter(is_whole) else {
                break;
            };
            let count = crate::row::swap_all(cells, step.taken.from.0, step.taken.to.0) as u64;
            if count == 0 {
                break;
            }
            for (meter, _) in &step.races {
                meter.add_granules(at * GRANULE, (at + count) * GRANULE);
            }
            at += count;
        }
        at
    }

    /// A step has raced, which has been reported: keeps it if other granules may take it.
    #[cold]
    pub(crate) fn keep_race(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        touch: Touch,
        taken: Taken,
        mark: Mark,
        conflicts: &[Conflict],
    ) {
        let holds_for_all = mark.hold == Hold::NOTHING
            && self.recorder.is_none()
            && !cache.is_particular
            && (conflicts.iter()).all(|met| met.certainty == Certainty::Certain);
        if !holds_for_all || cache.forgets() {
            return;
        }
        let is_of_pieces = (conflicts.iter()).any(|met| self.ran_before(cursor, met.mark.strand));
        let generation = self.generation.load(Ordering::Acquire);
        let racing = &mut cache.racing;
        if racing.generation != generation || racing.steps.is_empty() {
            racing.reset();
            racing.generation = generation;
            racing.steps = vec![None; STEPS].into();
        }
        let mut all = self.races.lock().unwrap_or_else(PoisonError::into_inner);
        let mut races = SmallVec::new();
        let mut common = None;
        racing.last = None;
        for met in conflicts {
            let sites = (met.mark.site, mark.site);
            let Some((meter, number)) = racing.meter(&mut all, sites) else {
                return;
            };
            let bytes = met.mark.mask & mark.mask;
            let is_plain = conflicts.len() == 1 && bytes == mark.mask && !is_of_pieces;
            common = (is_plain && number > 0).then_some(number);
            races.push((meter, bytes));
        }
        drop(all);
        racing.last = common.map(|number| (taken, number));
        racing.keep(RacingStep {
            taken,
            mark,
            kind: touch.kind,
            races,
            number: common,
            is_of_pieces,
        });
    }
}
