//! Steps that a strand took at a place of the program, to be taken again for other granules in the same state.

use super::{AGAIN, Again, NEVER, ThreadCache};
use crate::history::Taken;
#[cfg(not(feature = "shuttle"))]
use crate::row;
#[cfg(not(feature = "shuttle"))]
use crate::shadow::View;
use crate::states::StateId;
#[cfg(not(feature = "shuttle"))]
use crate::states::WHOLE;
#[cfg(not(feature = "shuttle"))]
use crate::sync::{AtomicU32, Ordering};
use heddle_core::AccessKind;
#[cfg(not(feature = "shuttle"))]
use std::ops::Range;

impl ThreadCache {
    /// Takes the step that the strand took before at the same place of the program, for another
    /// granule in the same state, if there is one.
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
        // SAFETY: as above.
        if state == StateId::FRESH && !unsafe { view.is_settled(granule) } {
            return false;
        }
        let next = self.next(kind, state, mask, pc);
        next.is_some_and(|next| swap(cell, state, next))
    }

    /// The same for whole granules, one after the other, known ones included: the first that needs more.
    ///
    /// # Safety
    /// As for [`take_again`](Self::take_again).
    #[cfg(not(feature = "shuttle"))]
    pub unsafe fn take_all_again(
        &self,
        view: View,
        kind: AccessKind,
        granules: Range<u64>,
        pc: usize,
    ) -> u64 {
        let mut at = granules.start;
        while at < granules.end {
            // SAFETY: the caller's promise.
            let Some(cells) = (unsafe { view.cells(at..granules.end) }) else {
                return at;
            };
            let state = StateId(cells[0].load(Ordering::Acquire));
            let taken = if self.knows(kind, state, WHOLE) {
                row::alike(cells, state.0)
            } else if let Some(next) = self.next(kind, state, WHOLE, pc) {
                row::swap_all(cells, state.0, next.0)
            } else {
                return at;
            };
            if taken == 0 {
                return at;
            }
            at += taken as u64;
        }
        at
    }

    /// Takes a step for whole granules, one after the other, known ones included: the first that needs more.
    ///
    /// # Safety
    /// As for [`take_again`](Self::take_again); what is void in their history is what was where the step was taken.
    #[cfg(not(feature = "shuttle"))]
    pub unsafe fn repeat(
        &self,
        view: View,
        kind: AccessKind,
        taken: Taken,
        granules: Range<u64>,
    ) -> u64 {
        let mut at = granules.start;
        while at < granules.end {
            // SAFETY: the caller's promise.
            let Some(cells) = (unsafe { view.cells(at..granules.end) }) else {
                break;
            };
            let state = StateId(cells[0].load(Ordering::Acquire));
            let done = if state == taken.from {
                row::swap_all(cells, taken.from.0, taken.to.0)
            } else if self.knows(kind, state, WHOLE) {
                row::alike(cells, state.0)
            } else {
                0
            };
            if done == 0 {
                break;
            }
            at += done as u64;
        }
        at.max(granules.start)
    }

    /// Where the strand's access at `pc` led from `state`, if it made one.
    #[cfg(not(feature = "shuttle"))]
    #[inline(always)]
    fn next(&self, kind: AccessKind, state: StateId, mask: u8, pc: usize) -> Option<StateId> {
        let step = &self.taking.steps[kind as usize][Self::again(state, pc)];
        let is_it = step.key == self.key(state, mask) && step.pc == pc && step.meter == 0;
        is_it.then_some(step.next)
    }

    /// Notes a step that others in the same state may take.
    pub fn took(&mut self, taken: Taken, kind: AccessKind, mask: u8, pc: usize) {
        if self.forgets {
            return;
        }
        self.put(taken, kind, mask, pc, 0);
    }

    /// Notes the step that was taken last, if it raced and others in the same state may take it.
    pub fn took_race(&mut self, kind: AccessKind, mask: u8, pc: usize) {
        if let Some((taken, meter)) = self.racing.take_last() {
            self.taking.meters[meter as usize] = self.racing.numbered(meter);
            self.put(taken, kind, mask, pc, meter);
        }
    }

    fn put(&mut self, taken: Taken, kind: AccessKind, mask: u8, pc: usize, meter: u32) {
        self.taking.steps[kind as usize][Self::again(taken.from, pc)] = Again {
            key: self.key(taken.from, mask),
            pc,
            next: taken.to,
            meter,
        };
    }

    /// What was found so far is another process's: races are to be told anew.
    pub fn forget_races(&mut self) {
        let steps = self.taking.steps.iter_mut().flatten();
        let racing = steps.filter(|step| step.meter != 0);
        racing.for_each(|step| *step = NEVER);
        self.racing.reset();
    }

    #[inline(always)]
    fn key(&self, state: StateId, mask: u8) -> u64 {
        u64::from(state.0) << 32 | (self.known().wanted & !0xff) | u64::from(mask)
    }

    #[inline(always)]
    fn again(state: StateId, pc: usize) -> usize {
        (state.0.wrapping_mul(0x9E37_79B1) as usize >> 20 ^ pc) % AGAIN
    }
}

#[cfg(not(feature = "shuttle"))]
#[inline(always)]
fn swap(cell: &AtomicU32, from: StateId, to: StateId) -> bool {
    cell.compare_exchange(from.0, to.0, Ordering::AcqRel, Ordering::Relaxed)
        .is_ok()
}
