//! The bounds that keep a runaway program from taking the machine down with it.

use heddle_core::FaultKind;

use super::problem::{Fallible, fault};

/// Integers of shared and heap memory alive at one time (1 GiB).
pub(super) const MAX_CELLS: u64 = 1 << 27;

/// Value slots alive at one time, on the stacks of all tasks together (1 GiB).
const MAX_SLOTS: usize = 1 << 26;

/// What a call costs beyond its registers, in slots.
pub(super) const FRAME_SLOTS: usize = 2;
/// What an open finish costs, in slots.
pub(super) const SCOPE_SLOTS: usize = 5;
/// What a task that has not ended costs beyond its registers, in slots.
pub(super) const TASK_SLOTS: usize = 16;

/// The slots in use.
#[derive(Clone, Default, Debug)]
pub(super) struct Budget {
    used: usize,
}

impl Budget {
    /// Takes `slots`, or says that there are no more.
    #[inline]
    pub fn charge(&mut self, slots: usize) -> Fallible<()> {
        if slots > MAX_SLOTS - self.used {
            return Err(fault(FaultKind::LimitReached));
        }
        self.used += slots;
        Ok(())
    }

    /// Gives `slots` back.
    #[inline]
    pub fn refund(&mut self, slots: usize) {
        self.used -= slots;
    }

    /// The slots in use.
    pub fn used(&self) -> usize {
        self.used
    }
}
