//! Accesses of a loop to one element after the other, checked before the loop (`heddle cc` puts the calls
//! there): as many accesses of `size` bytes, side by side, as there is room for in `len` bytes.

use crate::access::{GRANULE, is_watched, known_until, present, touch_all, unknown};
use crate::shim::export;
use crate::thread::{Thread, checked, enter_alone};
use heddle_core::AccessKind::{self, Read, Write};

export! {
    ["heddle_run_read"] fn run_read(address: usize, len: usize, size: usize) at pc {
        Run { address, len, size, pc }.check(Read);
    }

    ["heddle_run_write"] fn run_write(address: usize, len: usize, size: usize) at pc {
        Run { address, len, size, pc }.check(Write);
    }

    ["heddle_run_update"] fn run_update(address: usize, len: usize, size: usize) at pc {
        Run { address, len, size, pc }.check_update();
    }
}

/// See the module's documentation.
#[derive(Clone, Copy)]
struct Run {
    address: usize,
    len: usize,
    size: usize,
    pc: usize,
}

impl Run {
    #[inline]
    fn check(self, kind: AccessKind) {
        let Some(thread) = checked() else { return };
        let known = self.known(thread, kind);
        if known < self.end() {
            self.present().unknown(kind, known);
        }
    }

    /// Reads, and writes of the same. For races the writes stand for both.
    #[inline]
    fn check_update(self) {
        let Some(thread) = checked() else { return };
        let known = self.known(thread, Write);
        if known < self.end() {
            self.unknown_update(known);
        }
    }

    /// Updates of what begins at `known`.
    #[cold]
    #[inline(never)]
    fn unknown_update(self, known: usize) {
        let run = self.present();
        // In a critical section they read like any other: what becomes of the values is not known.
        let is_told_twice = |thread: &mut Thread| {
            !thread.cursor.holds_nothing() || is_watched(thread, run.address, run.len)
        };
        if checked().is_some_and(is_told_twice) {
            run.unknown(Read, run.address);
        }
        run.unknown(Write, known);
    }

    fn end(self) -> usize {
        self.address.saturating_add(self.len)
    }

    /// A loop that would leave the program's memory ends there, in a fault.
    fn present(self) -> Self {
        Self {
            len: present(self.address, self.len),
            ..self
        }
    }

    /// Up to where the strand has made such accesses before.
    #[inline]
    fn known(self, thread: &Thread, kind: AccessKind) -> usize {
        known_until(thread, kind, self.address, self.end())
    }

    /// Whether every granule belongs to one element.
    fn is_aligned(self) -> bool {
        self.address.is_multiple_of(GRANULE) && self.size.is_multiple_of(GRANULE)
    }

    /// Checks what begins at `known`.
    #[cold]
    #[inline(never)]
    fn unknown(self, kind: AccessKind, known: usize) {
        let Some(thread) = checked() else { return };
        if !self.is_aligned() && is_watched(thread, self.address, self.len) {
            return self.one_by_one(kind);
        }
        enter_alone(|_, thread| self.touch_from(thread, kind, known));
    }

    /// What must not be torn is told every access.
    fn one_by_one(self, kind: AccessKind) {
        for address in (self.address..self.end()).step_by(self.size) {
            unknown(kind, address, self.size, self.pc);
        }
    }

    /// Every element is an access of its own.
    fn touch_from(self, thread: &mut Thread, kind: AccessKind, known: usize) {
        let mut element = usize::MAX;
        touch_all(thread, kind, known..self.end(), self.pc, |thread, at| {
            let own = (at - self.address) / self.size;
            if std::mem::replace(&mut element, own) != own {
                thread.begin_access();
            }
        });
    }
}
