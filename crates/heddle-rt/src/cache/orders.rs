//! Answers to questions of order that a thread has asked before.

use heddle_core::TaskId;

const ORDERS: usize = 1 << 10;
const DEPTHS: usize = 1 << 8;

/// What a thread remembers of the order of strands.
#[derive(Debug)]
pub(crate) struct Orders {
    /// An earlier strand, a later one, and whether the first precedes the second.
    known: Box<[(u32, u32, bool)]>,
    /// Strands that precede what a task does, and the task.
    past: Box<[(u32, TaskId)]>,
    /// Two earlier strands, and the depth of their lowest common ancestor.
    depths: Box<[(u32, u32, u32)]>,
}

impl Default for Orders {
    fn default() -> Self {
        Self {
            known: vec![(0, 0, false); ORDERS].into(),
            past: vec![(0, TaskId::MAIN); ORDERS].into(),
            depths: vec![(0, 0, 0); DEPTHS].into(),
        }
    }
}

impl Orders {
    /// Forgets all: what strands were numbered may be given back.
    #[cfg(not(feature = "shuttle"))]
    pub(super) fn forget(&mut self) {
        self.known.fill((0, 0, false));
        self.past.fill((0, TaskId::MAIN));
        self.depths.fill((0, 0, 0));
    }

    /// Whether `earlier` precedes the strand `now`, if that was asked before.
    #[inline]
    pub(crate) fn get(&self, earlier: u32, now: u32) -> Option<bool> {
        let (a, b, answer) = self.known[Self::pair(earlier, now)];
        (a == earlier && b == now).then_some(answer)
    }

    pub(crate) fn learn(&mut self, earlier: u32, now: u32, answer: bool) {
        self.known[Self::pair(earlier, now)] = (earlier, now, answer);
    }

    /// Whether `earlier` is known to precede what the task does now. What precedes one of its strands precedes all later
    /// ones.
    #[inline]
    pub(crate) fn is_past(&self, earlier: u32, task: TaskId) -> bool {
        earlier != 0 && self.past[Self::pair(earlier, task.raw())] == (earlier, task)
    }

    pub(crate) fn learn_past(&mut self, earlier: u32, task: TaskId) {
        self.past[Self::pair(earlier, task.raw())] = (earlier, task);
    }

    /// A depth that is known of two earlier strands, or that `find` gives.
    pub(crate) fn depth(&mut self, a: u32, b: u32, find: impl FnOnce() -> u32) -> u32 {
        let known = &mut self.depths[Self::pair(a, b) % DEPTHS];
        if (known.0, known.1) != (a, b) {
            *known = (a, b, find());
        }
        known.2
    }

    #[inline]
    fn pair(earlier: u32, now: u32) -> usize {
        (earlier.wrapping_mul(0x9E37_79B1) >> 16 ^ now) as usize % ORDERS
    }
}
