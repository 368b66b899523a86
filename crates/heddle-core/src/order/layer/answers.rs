//! What searches have learned: whether a strand reaches a knot.

use super::{KnotIndex, NONE};
use crate::order::tree::NodeIndex;

/// A direct-mapped table of answers; it grows with the number of knots, to a limit.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers(Vec<(NodeIndex, KnotIndex, bool)>);

impl Answers {
    const LEAST: usize = 1 << 10;
    const MOST: usize = 1 << 20;

    /// There are so many knots now.
    #[inline]
    pub(super) fn expect(&mut self, knots: usize) {
        if knots > self.0.len() / 2 && self.0.len() < Self::MOST {
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        let size = (self.0.len() * 4).clamp(Self::LEAST, Self::MOST);
        let old = std::mem::replace(&mut self.0, vec![(0, NONE, false); size]);
        for (strand, knot, answer) in old {
            if knot != NONE {
                self.put(strand, knot, answer);
            }
        }
    }

    #[inline]
    fn slot(&self, a: NodeIndex, knot: KnotIndex) -> usize {
        let key = u64::from(a) << 32 | u64::from(knot);
        (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & (self.0.len() - 1)
    }

    #[inline]
    pub(super) fn get(&self, a: NodeIndex, knot: KnotIndex) -> Option<bool> {
        let &(strand, at, answer) = self.0.get(self.slot(a, knot))?;
        (strand == a && at == knot).then_some(answer)
    }

    #[inline]
    pub(super) fn put(&mut self, a: NodeIndex, knot: KnotIndex, answer: bool) {
        let slot = self.slot(a, knot);
        self.0[slot] = (a, knot, answer);
    }
}
