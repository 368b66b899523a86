//! What one thread remembers, so that the common access needs no shared table.

mod again;
mod orders;
mod unshared;

use crate::atomicity::Scratch;
use crate::exclusion::Hold;
use crate::path::Path;
use crate::races::Met;
use crate::racing::{METERS, Meter, RacingSteps};
#[cfg(not(feature = "shuttle"))]
use crate::row;
#[cfg(not(feature = "shuttle"))]
use crate::shadow::View;
#[cfg(not(feature = "shuttle"))]
use crate::states::WHOLE;
use crate::states::{Blocks, Group, Mark, Mask, StateId};
#[cfg(not(feature = "shuttle"))]
use crate::sync::Ordering;
use heddle_core::AccessKind;
use orders::Orders;
use std::ops::Range;
use std::ptr::NonNull;

const KNOWN: usize = 1 << 10;
const STEPS: usize = 1 << 11;
const AGAIN: usize = 1 << 10;

/// Strand changes after which the table of known states starts afresh.
const EPOCHS: u32 = 1 << 24;

/// What the common access of a thread consults. It may lie where a common path in assembly finds it.
#[derive(Debug)]
#[repr(C)]
pub struct Known {
    /// How often the strand changed, shifted left by eight, and all bytes: what an entry of `states` must
    /// have besides its state.
    wanted: u64,
    /// States in which the strand's access changes nothing, by kind: state, epoch and bytes.
    states: [[u64; KNOWN]; 2],
    /// The steps of the same thread, while they may be taken by a common path in assembly; else null.
    steps: *const Taking,
    /// Granules that no other thread or task can know of, in a few stretches: the first, and how many. While they have
    /// no history, accesses to them need none.
    unshared: [[u64; 2]; UNSHARED],
}

/// How many stretches of granules can be known to nobody else.
const UNSHARED: usize = 2;

/// How many stretches of addresses a [`Region`] has.
pub const STRETCHES: usize = 4;

/// Addresses at which steps may be taken again by a common path in assembly.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Region {
    /// Where each stretch begins, and how many addresses it has.
    pub stretches: [(usize, usize); STRETCHES],
    /// The stretches are valid while this number ...
    pub version: &'static std::sync::atomic::AtomicU32,
    /// ... is this.
    pub as_of: u32,
    /// One more stretch begins where this says ...
    pub low: &'static std::sync::atomic::AtomicUsize,
    /// ... and ends here.
    pub high: usize,
}

static NO_VERSION: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
static NO_ADDRESS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

impl Region {
    const NOWHERE: Self = Self {
        stretches: [(0, 0); STRETCHES],
        version: &NO_VERSION,
        as_of: 0,
        low: &NO_ADDRESS,
        high: 0,
    };
}

/// Steps the strand took without a race, by kind: other granules in the same state take them too.
#[derive(Debug)]
#[repr(C)]
pub struct Taking {
    region: Region,
    steps: [[Again; AGAIN]; 2],
    /// What steps that race are counted by; the first one is none.
    meters: [*const Meter; METERS],
}

/// Caches of one thread, for one engine. They may be used for any task that runs on the thread, and
/// dropped at any time.
#[derive(Debug)]
pub struct ThreadCache {
    /// In `own`, or in memory of the thread that outlives this.
    known: NonNull<Known>,
    own: Option<Box<Known>>,
    taking: Box<Taking>,
    /// The strand the thread executes, as far as this cache was told.
    strand: u32,
    steps: Box<[Step]>,
    pub(crate) orders: Orders,
    /// Where the running strand stands.
    pub(crate) path: Path,
    /// What is held when an atomic access is made under the first.
    pub(crate) atomic: (Hold, Hold),
    /// What is held when the thread's own storage is accessed under the first.
    pub(crate) private: (Hold, Hold),
    pub(crate) blocks: Blocks,
    /// Whether the step being worked out holds for its granule only.
    pub(crate) is_particular: bool,
    /// Whether the tree alone is to be asked for orders: what it does not say takes the long way.
    pub(crate) is_hurried: bool,
    /// Whether the granule being accessed must not be torn: then every parallel access matters.
    pub(crate) is_watched: bool,
    /// Scratch.
    pub(crate) groups: Vec<Group>,
    pub(crate) torn: Scratch,
    pub(crate) met: Met,
    pub(crate) racing: RacingSteps,
    /// Whether it remembers no access.
    forgets: bool,
    /// States between which the common path may still take a step.
    #[cfg(not(feature = "shuttle"))]
    under_way: Vec<StateId>,
}

// SAFETY: all three are used by the thread that owns the cache, and `known` is in a box of the cache's own
// unless the thread has given it a place.
unsafe impl Send for ThreadCache {}

/// A step of the running strand, at one place of the program.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Again {
    /// State, epoch and bytes.
    key: u64,
    pc: usize,
    next: StateId,
    /// If it races: the number of its meter.
    meter: u32,
}

/// A step without a race: in `state`, this access leads to `next`.
#[derive(Clone, Copy, Debug)]
struct Step {
    state: StateId,
    mark: Mark,
    kind: AccessKind,
    next: StateId,
}

const NO_STEP: Step = Step {
    state: StateId::FRESH,
    mark: Mark {
        strand: 0,
        site: 0,
        hold: Hold::NOTHING,
        mask: 0,
    },
    kind: AccessKind::Read,
    next: StateId::FRESH,
};

/// The first epoch.
const FIRST: u64 = 1 << 8 | 0xff;

const NEVER: Again = Again {
    key: 0,
    pc: 0,
    next: StateId::FRESH,
    meter: 0,
};

impl Known {
    /// Where its parts lie, for a common path in assembly: what is wanted, the states known for reads and
    /// for writes, the steps, the granules that are not shared.
    pub const PARTS: [usize; 5] = [
        std::mem::offset_of!(Self, wanted),
        std::mem::offset_of!(Self, states),
        std::mem::offset_of!(Self, states) + size_of::<[u64; KNOWN]>(),
        std::mem::offset_of!(Self, steps),
        std::mem::offset_of!(Self, unshared),
    ];

    /// Nothing is known. Made where it stays: the stack may be too small for it, and zeros take no memory yet.
    fn boxed() -> Box<Self> {
        // SAFETY: numbers and a null pointer may be zeros.
        let mut known = unsafe { Box::<Self>::new_zeroed().assume_init() };
        known.wanted = FIRST;
        known
    }
}

impl Taking {
    /// Where its parts lie: the region, steps of reads and of writes; the size of a step; meters.
    pub const PARTS: [usize; 5] = [
        std::mem::offset_of!(Self, region),
        std::mem::offset_of!(Self, steps),
        std::mem::offset_of!(Self, steps) + size_of::<[Again; AGAIN]>(),
        size_of::<Again>(),
        std::mem::offset_of!(Self, meters),
    ];

    /// No steps. Made where it stays, like [`Known::boxed`].
    fn boxed() -> Box<Self> {
        let mut taking = Box::<Self>::new_zeroed();
        // SAFETY: the region, which holds references, is written before it counts as initialised; zeros are steps of
        // no state (`NEVER`) and null pointers.
        unsafe {
            (&raw mut (*taking.as_mut_ptr()).region).write(Region::NOWHERE);
            taking.assume_init()
        }
    }
}

impl ThreadCache {
    /// Empty caches.
    pub fn new() -> Self {
        let taking = Taking::boxed();
        let mut own = Known::boxed();
        Self {
            known: NonNull::from(&mut *own),
            own: Some(own),
            taking,
            strand: 0,
            steps: vec![NO_STEP; STEPS].into(),
            orders: Orders::default(),
            path: Path::new(),
            atomic: (Hold::NOTHING, Hold::NOTHING),
            private: (Hold::NOTHING, Hold::NOTHING),
            blocks: Blocks::default(),
            is_particular: false,
            is_hurried: false,
            is_watched: false,
            groups: Vec::new(),
            torn: Scratch::default(),
            met: Met::default(),
            racing: RacingSteps::default(),
            forgets: false,
            #[cfg(not(feature = "shuttle"))]
            under_way: Vec::new(),
        }
    }

    /// What is known is kept at `place` from now on.
    ///
    /// # Safety
    /// The place is the calling thread's alone, is all zeros, and outlives this or a call of [`leave`](Self::leave).
    pub unsafe fn move_to(&mut self, place: NonNull<Known>) {
        let Some(own) = self.own.take() else { return };
        // SAFETY: the caller's promise.
        unsafe { place.write(*own) };
        self.known = place;
    }

    /// Leaves the place it was moved to, in zeros.
    pub fn leave(&mut self) {
        if self.own.is_none() {
            let mut own = Known::boxed();
            // SAFETY: the place is still there, as `move_to` was promised; zeros are a valid value.
            unsafe { self.known.write(std::mem::zeroed()) };
            self.known = NonNull::from(&mut *own);
            self.own = Some(own);
        }
    }

    /// From now on every access is to be told to the engine, however often it is made.
    pub fn remember_nothing(&mut self) {
        self.forgets = true;
    }

    /// Whether it is to remember nothing.
    pub(crate) fn forgets(&self) -> bool {
        self.forgets
    }

    /// Steps may be taken again by a common path in assembly at these addresses.
    pub fn take_again_in(&mut self, region: Region) {
        self.taking.region = region;
    }

    /// From now on they may.
    #[inline]
    pub fn open_steps(&mut self) {
        self.known_mut().steps = &raw const *self.taking;
    }

    /// From now on they may not.
    #[inline]
    pub fn close_steps(&mut self) {
        self.known_mut().steps = std::ptr::null();
    }

    #[inline(always)]
    fn known(&self) -> &Known {
        // SAFETY: points into `own`, or to where `move_to` was promised that it lives.
        unsafe { self.known.as_ref() }
    }

    #[inline(always)]
    fn known_mut(&mut self) -> &mut Known {
        // SAFETY: as above; `self` is borrowed mutably, and nothing else refers to the place.
        unsafe { self.known.as_mut() }
    }

    /// The thread now executes `strand` (0: none yet). What is known holds for one strand only.
    #[inline(always)]
    pub fn follow(&mut self, strand: u32) {
        if self.strand != strand {
            self.change(strand);
        }
    }

    /// The same, unless the tables must start afresh: then says no. It touches nothing but the number of the epoch.
    #[inline(always)]
    pub(crate) fn follow_at_once(&mut self, strand: u32) -> bool {
        let is_last = self.known().wanted >> 8 == u64::from(EPOCHS) - 1;
        if self.strand != strand && !is_last {
            self.strand = strand;
            self.known_mut().wanted += 1 << 8;
        }
        self.strand == strand
    }

    #[inline]
    fn change(&mut self, strand: u32) {
        self.strand = strand;
        let known = self.known_mut();
        known.wanted += 1 << 8;
        if known.wanted >> 8 == u64::from(EPOCHS) {
            self.start_afresh();
        }
    }

    #[cold]
    fn start_afresh(&mut self) {
        let known = self.known_mut();
        known.states = [[0; KNOWN]; 2];
        known.wanted = FIRST;
        self.taking.steps = [[NEVER; AGAIN]; 2];
    }

    /// Empties the cache, because rows are about to be used again. The thread itself may be in the common path, but
    /// nowhere else: the states between which it may still take a step. What it knew the last time is none of those if it
    /// has been inside since.
    #[cfg(not(feature = "shuttle"))]
    pub(crate) fn put_down(&mut self, was_inside: bool) -> &[StateId] {
        if was_inside {
            self.under_way.clear();
        }
        let steps = self.taking.steps.iter().flatten();
        let known = steps.filter(|step| step.key != 0);
        let states = known.flat_map(|step| [StateId((step.key >> 32) as u32), step.next]);
        self.under_way.extend(states);
        self.under_way.sort_unstable_by_key(|state| state.0);
        self.under_way.dedup();
        self.forget_all();
        &self.under_way
    }

    #[cfg(not(feature = "shuttle"))]
    fn forget_all(&mut self) {
        let known = self.known_mut();
        known.states = [[0; KNOWN]; 2];
        // A step whose key the common path has just seen must stay as it is.
        let steps = self.taking.steps.iter_mut().flatten();
        steps.for_each(|step| step.key = 0);
        self.steps.fill(NO_STEP);
        self.orders.forget();
        self.path.forget();
        self.blocks.forget();
        self.racing.forget();
        (self.atomic, self.private) = Default::default();
    }

    /// Whether the strand has already made such an access to a granule in `state`.
    #[inline(always)]
    pub(crate) fn knows(&self, kind: AccessKind, state: StateId, mask: Mask) -> bool {
        let known = self.known();
        let entry = known.states[kind as usize][state.0 as usize % KNOWN];
        let wanted = u64::from(state.0) << 32 | known.wanted;
        (entry ^ wanted) & (!0xff | u64::from(mask)) == 0
    }

    /// Whether the strand has already made such an access to a granule, or need not be known to make it, by the
    /// common path alone: no if in doubt.
    ///
    /// # Safety
    /// The engine `view` was made from is still there.
    #[cfg(not(feature = "shuttle"))]
    #[inline(always)]
    pub unsafe fn has_made(&self, view: View, kind: AccessKind, granule: u64, mask: u8) -> bool {
        // SAFETY: the caller's promise.
        let Some(cell) = (unsafe { view.cell(granule) }) else {
            return false;
        };
        match StateId(cell.load(Ordering::Acquire)) {
            StateId::FRESH => self.unshared_from(granule) > 0,
            state => self.knows(kind, state, mask),
        }
    }

    /// Where granules begin of which it is not known that the strand has made such an access to all their bytes.
    ///
    /// # Safety
    /// The engine `view` was made from is still there.
    #[cfg(not(feature = "shuttle"))]
    #[inline]
    pub unsafe fn known_until(&self, view: View, kind: AccessKind, granules: Range<u64>) -> u64 {
        let mut at = granules.start;
        while at < granules.end {
            // SAFETY: the caller's promise.
            let Some(cells) = (unsafe { view.cells(at..granules.end) }) else {
                break;
            };
            let state = StateId(cells[0].load(Ordering::Acquire));
            let few = match state {
                _ if self.knows(kind, state, WHOLE) => u64::MAX,
                StateId::FRESH => self.unshared_from(at),
                _ => 0,
            };
            if few == 0 {
                break;
            }
            at += few.min(row::alike(cells, state.0) as u64);
        }
        at
    }

    /// Notes that it has. Whoever wrote may also read.
    #[inline]
    pub(crate) fn learn(&mut self, kind: AccessKind, state: StateId, mask: Mask) {
        if self.forgets {
            return;
        }
        let key = u64::from(state.0) << 32 | (self.known().wanted & !0xff);
        for states in &mut self.known_mut().states[..=kind as usize] {
            let entry = &mut states[state.0 as usize % KNOWN];
            let before = if *entry & !0xff == key { *entry } else { key };
            *entry = before | u64::from(mask);
        }
    }

    #[inline]
    pub(crate) fn step(&self, state: StateId, mark: Mark, kind: AccessKind) -> Option<StateId> {
        let step = &self.steps[Self::slot(state, mark)];
        let same = step.state == state && step.mark == mark && step.kind == kind;
        same.then_some(step.next)
    }

    pub(crate) fn learn_step(
        &mut self,
        state: StateId,
        mark: Mark,
        kind: AccessKind,
        next: StateId,
    ) {
        self.steps[Self::slot(state, mark)] = Step {
            state,
            mark,
            kind,
            next,
        };
    }

    fn slot(state: StateId, mark: Mark) -> usize {
        let mix = state.0.wrapping_mul(0x9E37_79B1) ^ mark.site.wrapping_mul(0x85EB_CA77);
        let bytes = u32::from(mark.mask).wrapping_mul(0x27D4_EB2F) >> 20;
        ((mix >> 16) ^ mix ^ mark.strand ^ bytes) as usize % STEPS
    }
}

impl Default for ThreadCache {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests;
