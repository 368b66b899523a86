//! What one thread remembers, so that the common access needs no shared table.

use crate::exclusion::Hold;
use crate::history::Taken;
#[cfg(not(feature = "shuttle"))]
use crate::shadow::View;
use crate::states::{Blocks, Group, Mark, Mask, StateId};
#[cfg(not(feature = "shuttle"))]
use crate::sync::Ordering;
use heddle_core::AccessKind;

const KNOWN: usize = 1 << 10;
const STEPS: usize = 1 << 11;
const ORDERS: usize = 1 << 10;
const AGAIN: usize = 1 << 8;

/// Strand changes after which the table of known states starts afresh.
const EPOCHS: u32 = 1 << 24;

/// Caches of one thread, for one engine. They may be used for any task that runs on the thread, and
/// dropped at any time.
#[derive(Debug)]
#[repr(C)]
pub struct ThreadCache {
    /// How often the strand changed, shifted left by eight, and all bytes: what an entry of `known` must
    /// have besides its state.
    wanted: u64,
    /// States in which the strand's access changes nothing, by kind: state, epoch and bytes. In
    /// place and of a fixed size: the common access finds them by arithmetic alone.
    known: [[u64; KNOWN]; 2],
    /// Steps the strand took without a race, by kind: other granules in the same state take them too.
    taken: [[Again; AGAIN]; 2],
    /// The strand the thread executes, as far as this cache was told.
    strand: u32,
    steps: Box<[Step]>,
    orders: Box<[(u32, u32, bool)]>,
    /// What is held when an atomic access is made under the first.
    pub(crate) atomic: (Hold, Hold),
    pub(crate) blocks: Blocks,
    /// Whether the step being worked out holds for its granule only.
    pub(crate) is_particular: bool,
    /// Scratch.
    pub(crate) groups: Vec<Group>,
}

/// A step of the running strand, at one place of the program.
#[derive(Clone, Copy, Debug)]
struct Again {
    /// State, epoch and bytes.
    key: u64,
    pc: usize,
    next: StateId,
}

/// A step without a race: in `state`, this access leads to `next`.
#[derive(Clone, Copy, Debug)]
struct Step {
    state: StateId,
    mark: Mark,
    kind: AccessKind,
    next: StateId,
}

const NEVER: Again = Again {
    key: 0,
    pc: 0,
    next: StateId::FRESH,
};

impl ThreadCache {
    /// Where `wanted` lies, for a common path in assembly.
    pub const WANTED: usize = std::mem::offset_of!(Self, wanted);
    /// Where the table of reads lies.
    pub const KNOWN_READS: usize = std::mem::offset_of!(Self, known);
    /// Where the table of writes lies.
    pub const KNOWN_WRITES: usize = Self::KNOWN_READS + size_of::<[u64; KNOWN]>();

    /// Empty caches.
    pub fn new() -> Self {
        let nothing = Step {
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
        Self {
            wanted: 1 << 8 | 0xff,
            known: [[0; KNOWN]; 2],
            taken: [[NEVER; AGAIN]; 2],
            strand: 0,
            steps: vec![nothing; STEPS].into(),
            orders: vec![(0, 0, false); ORDERS].into(),
            atomic: (Hold::NOTHING, Hold::NOTHING),
            blocks: Blocks::default(),
            is_particular: false,
            groups: Vec::new(),
        }
    }

    /// The thread now executes `strand` (0: none yet). What is known holds for one strand only.
    #[inline(always)]
    pub fn follow(&mut self, strand: u32) {
        if self.strand != strand {
            self.change(strand);
        }
    }

    #[inline]
    fn change(&mut self, strand: u32) {
        self.strand = strand;
        self.wanted += 1 << 8;
        if self.wanted >> 8 == u64::from(EPOCHS) {
            self.start_afresh();
        }
    }

    #[cold]
    fn start_afresh(&mut self) {
        self.known = [[0; KNOWN]; 2];
        self.taken = [[NEVER; AGAIN]; 2];
        self.wanted = 1 << 8 | 0xff;
    }

    /// Whether the strand has already made such an access to a granule in `state`.
    #[inline(always)]
    pub(crate) fn knows(&self, kind: AccessKind, state: StateId, mask: Mask) -> bool {
        let entry = self.known[kind as usize][state.0 as usize % KNOWN];
        let wanted = u64::from(state.0) << 32 | self.wanted;
        (entry ^ wanted) & (!0xff | u64::from(mask)) == 0
    }

    /// Whether the strand has already made such an access to a granule, by the common path alone: no
    /// if in doubt.
    ///
    /// # Safety
    /// The engine `view` was made from is still there.
    #[cfg(not(feature = "shuttle"))]
    #[inline(always)]
    pub unsafe fn has_made(&self, view: View, kind: AccessKind, granule: u64, mask: u8) -> bool {
        // SAFETY: the caller's promise.
        self.knows(kind, StateId(unsafe { view.state(granule) }), mask)
    }

    /// Takes the step that the strand took before at the same place of the program, for another
    /// granule in the same state, if there is one. Not for granules whose history may be void.
    ///
    /// # Safety
    /// The engine `view` was made from is still there, and is the one this cache is for.
    #[cfg(not(feature = "shuttle"))]
    #[inline]
    pub unsafe fn take_again(
        &self,
        view: View,
        kind: AccessKind,
        granule: u64,
        mask: u8,
        pc: usize,
    ) -> bool {
        // SAFETY: the caller's promise.
        let Some(cell) = (unsafe { view.cell(granule) }) else {
            return false;
        };
        let state = StateId(cell.load(Ordering::Acquire));
        let step = &self.taken[kind as usize][Self::again(state, pc)];
        step.key == self.key(state, mask)
            && step.pc == pc
            && cell
                .compare_exchange(state.0, step.next.0, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok()
    }

    /// Notes a step that others in the same state may take.
    pub fn took(&mut self, taken: Taken, kind: AccessKind, mask: u8, pc: usize) {
        let key = self.key(taken.from, mask);
        let next = taken.to;
        self.taken[kind as usize][Self::again(taken.from, pc)] = Again { key, pc, next };
    }

    #[inline(always)]
    fn key(&self, state: StateId, mask: u8) -> u64 {
        u64::from(state.0) << 32 | (self.wanted & !0xff) | u64::from(mask)
    }

    #[inline(always)]
    fn again(state: StateId, pc: usize) -> usize {
        (state.0.wrapping_mul(0x9E37_79B1) as usize >> 20 ^ pc) % AGAIN
    }

    /// Notes that it has. Whoever wrote may also read.
    #[inline]
    pub(crate) fn learn(&mut self, kind: AccessKind, state: StateId, mask: Mask) {
        let key = u64::from(state.0) << 32 | (self.wanted & !0xff);
        for known in &mut self.known[..=kind as usize] {
            let entry = &mut known[state.0 as usize % KNOWN];
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

    pub(crate) fn order(&self, earlier: u32, now: u32) -> Option<bool> {
        let (a, b, answer) = self.orders[Self::pair(earlier, now)];
        (a == earlier && b == now).then_some(answer)
    }

    pub(crate) fn learn_order(&mut self, earlier: u32, now: u32, answer: bool) {
        self.orders[Self::pair(earlier, now)] = (earlier, now, answer);
    }

    fn pair(earlier: u32, now: u32) -> usize {
        (earlier.wrapping_mul(0x9E37_79B1) >> 16 ^ now) as usize % ORDERS
    }
}

impl Default for ThreadCache {
    fn default() -> Self {
        Self::new()
    }
}
