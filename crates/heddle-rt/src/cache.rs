//! What one thread remembers, so that the common access needs no shared table.

use crate::states::{Mark, StateId};
use heddle_core::AccessKind;

const KNOWN: usize = 1 << 10;
const STEPS: usize = 1 << 11;
const ORDERS: usize = 1 << 10;

/// Caches of one thread. Their contents depend on nothing but what is in their keys, so a cache may
/// be used for any task that runs on the thread, and dropped at any time.
#[derive(Debug)]
pub struct ThreadCache {
    /// States in which a strand's access changes nothing: (strand, state), by kind. In place and of a
    /// fixed size: the common access finds them by arithmetic alone.
    known: [[u64; KNOWN]; 2],
    steps: Box<[Step]>,
    orders: Box<[(u32, u32, bool)]>,
}

/// A step without a race: in `state`, this access leads to `next`.
#[derive(Clone, Copy, Debug)]
struct Step {
    state: StateId,
    mark: Mark,
    kind: AccessKind,
    next: StateId,
}

impl ThreadCache {
    /// Empty caches.
    pub fn new() -> Self {
        let nothing = Step {
            state: StateId::FRESH,
            mark: Mark {
                strand: 0,
                site: 0,
                hold: crate::exclusion::Hold::NOTHING,
            },
            kind: AccessKind::Read,
            next: StateId::FRESH,
        };
        Self {
            known: [[0; KNOWN]; 2],
            steps: vec![nothing; STEPS].into(),
            orders: vec![(0, 0, false); ORDERS].into(),
        }
    }

    /// Whether `strand` has already made such an access to a location in `state`. No strand has
    /// number 0, so an empty entry matches none.
    #[inline(always)]
    pub(crate) fn knows(&self, kind: AccessKind, state: StateId, strand: u32) -> bool {
        self.known[kind as usize][state.0 as usize % KNOWN] == Self::key(state, strand)
    }

    pub(crate) fn learn(&mut self, kind: AccessKind, state: StateId, strand: u32) {
        self.known[kind as usize][state.0 as usize % KNOWN] = Self::key(state, strand);
    }

    #[inline(always)]
    fn key(state: StateId, strand: u32) -> u64 {
        u64::from(state.0) << 32 | u64::from(strand)
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
        (mix ^ mark.strand) as usize % STEPS
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
