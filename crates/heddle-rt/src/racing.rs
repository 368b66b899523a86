//! Steps that race, taken again: what a racy loop over an array costs beside a clean one.
//!
//! Where an access leads from a state, and what it races with, depends on the state, the strand and the place of the
//! program, not on the granule. So once a pair of positions has as many locations as are told apart
//! ([`crate::races`]), the step is kept with what it races with. Another granule in the same state takes it, and all
//! that is left to say of it is which bytes it has. Each thread says so in a [`Meter`] of its own, which is drained
//! when it is full and read in the end.
//!
//! Kept are steps of tasks that hold nothing, whose races are all certain, and which hold for any granule.

use crate::cache::ThreadCache;
use crate::engine::{Cursor, Engine};
use crate::exclusion::Hold;
use crate::history::{Conflict, Quick, Taken, Touch};
use crate::races::Races;
use crate::spread::{GRANULE, Spread, bytes_of};
use crate::states::{Mark, StateId, WHOLE};
use crate::sync::{Arc, AtomicU32, Ordering, PoisonError};
use heddle_core::{AccessKind, Certainty};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::atomic::{AtomicU64, AtomicUsize};

/// Steps that a thread keeps.
const STEPS: usize = 64;

/// Meters that the common path may be told of.
pub(crate) const METERS: usize = 64;

/// Rows that a meter has room for.
const ROOM: usize = 64;

/// The bytes that one thread has added to those of a pair of positions since the last drain. Only the thread itself adds.
///
/// A loop touches elements at equal distances. Such a row is its first element, where the next one is expected and how
/// far that is from the last, so that adding the expected one is an addition: the common path in assembly makes it
/// (`hooks.s` in `heddle-native`), and knows the first two words.
#[derive(Debug)]
#[repr(C)]
pub struct Meter {
    open: Row,
    len: AtomicUsize,
    rows: [Row; ROOM],
}

#[derive(Debug, Default)]
#[repr(C)]
struct Row {
    /// Where the next element is expected.
    next: AtomicU64,
    stride: AtomicU64,
    start: AtomicU64,
    /// Bytes of an element; none if there is no row.
    size: AtomicU64,
}

impl Row {
    fn words(&self) -> [u64; 4] {
        [&self.next, &self.stride, &self.start, &self.size].map(|word| word.load(Ordering::Acquire))
    }

    fn set(&self, [next, stride, start, size]: [u64; 4]) {
        // Whoever reads it meanwhile finds no row.
        self.size.store(0, Ordering::Release);
        self.next.store(next, Ordering::Release);
        self.stride.store(stride, Ordering::Release);
        self.start.store(start, Ordering::Release);
        self.size.store(size, Ordering::Release);
    }

    /// Adds its bytes to others, as long as there is room for them.
    fn add_to(&self, spread: &mut Spread) {
        let [next, stride, start, size] = self.words();
        if size == 0 {
            return;
        }
        if stride == size {
            return spread.add_range(start, next);
        }
        let mut at = start;
        while at != next && !spread.is_full() {
            spread.add_range(at, at.wrapping_add(size));
            at = at.wrapping_add(stride);
        }
    }
}

impl Default for Meter {
    fn default() -> Self {
        Self {
            open: Row::default(),
            len: AtomicUsize::new(0),
            rows: std::array::from_fn(|_| Row::default()),
        }
    }
}

impl Meter {
    fn has_room(&self) -> bool {
        self.len.load(Ordering::Relaxed) < ROOM
    }

    /// Adds an element, from its first byte to just past its last one. There must be room.
    fn add(&self, from: u64, to: u64) {
        let [next, stride, start, size] = self.open.words();
        let is_alike = size == to.wrapping_sub(from);
        if is_alike && from == next {
            self.open
                .next
                .store(next.wrapping_add(stride), Ordering::Release);
        } else if is_alike && next == start.wrapping_add(stride) && from != start {
            // The second element says how far they are apart.
            let stride = from.wrapping_sub(start);
            let next = from.wrapping_add(stride);
            self.open.set([next, stride, start, size]);
        } else if !is_alike || from != next.wrapping_sub(stride) {
            self.begin(from, to.wrapping_sub(from), to);
        }
    }

    /// Adds granules that follow each other. There must be room.
    fn add_granules(&self, from: u64, to: u64) {
        let [next, stride, _, size] = self.open.words();
        match (stride, size, next) == (GRANULE, GRANULE, from) {
            true => self.open.next.store(to, Ordering::Release),
            false => self.begin(from, GRANULE, to),
        }
    }

    /// Begins a row whose elements follow each other, up to `next`.
    fn begin(&self, start: u64, size: u64, next: u64) {
        let open = self.open.words();
        let len = self.len.load(Ordering::Relaxed);
        if let Some(row) = self.rows.get(len).filter(|_| open[3] != 0) {
            row.set(open);
            self.len.store(len + 1, Ordering::Release);
        }
        self.open.set([next, size, start, size]);
    }

    /// Adds what was added here to others.
    pub(crate) fn add_to(&self, spread: &mut Spread) {
        let rows = &self.rows[..self.len.load(Ordering::Acquire)];
        let rows = rows.iter().chain([&self.open]);
        rows.for_each(|row| row.add_to(spread));
    }

    /// Forgets what was added; for the thread itself.
    pub(crate) fn clear(&self) {
        self.open.set([0; 4]);
        self.len.store(0, Ordering::Release);
    }
}

/// A step that races.
#[derive(Clone, Debug)]
struct RacingStep {
    taken: Taken,
    mark: Mark,
    kind: AccessKind,
    since: u32,
    /// One for each access that it races with, and the bytes of these.
    races: SmallVec<[(Arc<Meter>, u8); 2]>,
}

/// Those of one thread.
#[derive(Debug, Default)]
pub(crate) struct RacingSteps {
    generation: u32,
    steps: Box<[Option<RacingStep>]>,
    /// By the positions of the earlier access and of this one; with its number for the common path.
    meters: FxHashMap<(u32, u32), (Arc<Meter>, u32)>,
    /// All that the common path was told of.
    numbered: Vec<Arc<Meter>>,
    /// The step that was kept last, with the number of its meter, if the common path may take it.
    last: Option<(Taken, u32)>,
}

impl RacingSteps {
    fn slot(state: StateId, site: u32) -> usize {
        let mix = state.0.wrapping_mul(0x9E37_79B1) ^ site.wrapping_mul(0x85EB_CA77);
        (mix >> 16) as usize % STEPS
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

    /// The step that was kept last.
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
        let step = self.steps.get(Self::slot(state, site))?.as_ref()?;
        let is_it = self.generation == generation
            && step.taken.from == state
            && (step.mark.strand, step.mark.site) == (strand, site)
            && (step.mark.mask, step.kind, step.since) == (touch.mask, touch.kind, touch.since);
        (is_it && step.races.iter().all(|(meter, _)| meter.has_room())).then_some(step)
    }
}

impl Engine {
    /// Takes a step that races and is known, if there is one: whether there was.
    #[inline]
    pub(crate) fn race_again(
        &self,
        cache: &ThreadCache,
        cursor: &Cursor,
        touch: Touch,
        state: StateId,
        site: u32,
        cell: &AtomicU32,
    ) -> Option<Quick> {
        if cache.racing.steps.is_empty() {
            return None;
        }
        let generation = self.generation.load(Ordering::Relaxed);
        let strand = cursor.strand();
        let step = cache.racing.find(generation, state, strand, touch, site)?;
        let Taken { from, to } = step.taken;
        cell.compare_exchange(from.0, to.0, Ordering::AcqRel, Ordering::Relaxed)
            .ok()?;
        for (meter, mask) in &step.races {
            let (from, to) = bytes_of(touch.granule, *mask);
            meter.add(from, to);
        }
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
                since: 0,
            };
            let state = StateId(cells[0].load(Ordering::Acquire));
            let step = cache.racing.find(generation, state, strand, touch, site);
            let is_whole = |step: &&RacingStep| step.races.iter().all(|race| race.1 == WHOLE);
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
            && conflicts.iter().all(|met| {
                met.certainty == Certainty::Certain && !self.ran_before(cursor, met.mark.strand)
            });
        if !holds_for_all || cache.forgets() {
            return;
        }
        let generation = self.generation.load(Ordering::Acquire);
        let racing = &mut cache.racing;
        if racing.generation != generation || racing.steps.is_empty() {
            racing.reset();
            racing.generation = generation;
            racing.steps = vec![None; STEPS].into();
        }
        let mut all = self.races.lock().unwrap_or_else(PoisonError::into_inner);
        let mut races = SmallVec::new();
        racing.last = None;
        let mut last = None;
        for met in conflicts {
            let sites = (met.mark.site, mark.site);
            let Some((meter, number)) = racing.meter(&mut all, sites) else {
                return;
            };
            let bytes = met.mark.mask & mark.mask;
            let is_plain = conflicts.len() == 1 && bytes == mark.mask && touch.since == 0;
            last = (is_plain && number > 0).then_some((taken, number));
            races.push((meter, bytes));
        }
        drop(all);
        racing.last = last;
        racing.steps[RacingSteps::slot(taken.from, mark.site)] = Some(RacingStep {
            taken,
            mark,
            kind: touch.kind,
            since: touch.since,
            races,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(meter: &Meter) -> Vec<(u64, u64)> {
        let mut spread = Spread::default();
        meter.add_to(&mut spread);
        spread.ranges()
    }

    #[test]
    fn a_meter_has_what_was_added_in_whatever_sequence() {
        let sequences: [&[u64]; 5] = [
            &[0, 1, 2, 3, 4],
            &[4, 3, 2, 1, 0],
            &[0, 2, 4, 1, 3],
            &[3, 3, 0, 1, 2, 2, 4],
            &[0, 3, 1, 4, 2],
        ];
        for elements in sequences {
            let meter = Meter::default();
            for element in elements {
                meter.add(400 + element * 4, 404 + element * 4);
            }
            assert_eq!(bytes(&meter), [(400, 420)], "{elements:?}");
        }
    }

    #[test]
    fn a_row_of_members_is_one_row_with_gaps() {
        let meter = Meter::default();
        for element in 0..1000 {
            meter.add(element * 32, element * 32 + 8);
        }
        assert!(meter.has_room());
        assert_eq!(bytes(&meter).len(), 1000);
        assert_eq!(bytes(&meter)[999], (999 * 32, 999 * 32 + 8));
    }

    #[test]
    fn elements_of_other_sizes_and_whole_granules_begin_rows() {
        let meter = Meter::default();
        meter.add(0, 8);
        meter.add(8, 12);
        meter.add_granules(16, 80);
        meter.add_granules(80, 96);
        assert_eq!(bytes(&meter), [(0, 12), (16, 96)]);
        meter.clear();
        assert!(bytes(&meter).is_empty());
    }

    #[test]
    fn a_full_meter_says_so() {
        let meter = Meter::default();
        let mut added = 0;
        while meter.has_room() && added < 10_000 {
            added += 1;
            meter.add(added * added * 8, added * added * 8 + 8);
        }
        assert!(added < 10_000);
    }
}
