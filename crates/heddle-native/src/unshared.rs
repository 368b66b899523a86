//! What of a thread's stack no other thread or task can know of.
//!
//! An object on the stack becomes known to others by something that the program does after the object was made: it
//! creates a task or a thread, gives back a lock, stores or exchanges atomically, and so on. All of that goes through the
//! library. So what lies on the stack below all frames that did such a thing is the running task's alone: whatever
//! the task does to it comes before all that others will ever do to it. Functions that a task calls between two
//! spawns work on such memory for the most part, in each strand anew, and as long as it has no history it needs none.
//!
//! `Thread::unshared_below` is where that part of the stack ends. It goes down with every call of the library
//! ([`ends_here`]) that does not say itself what it tells of. It goes up where a task starts, and where a task has waited
//! for its children. It could go up wherever the program has returned to an outer frame, but a task that outlives
//! the function whose variable it writes would then be overlooked more often.
//!
//! # What is not seen
//! A task may learn the address by a race: another stores it in a plain variable. That race is reported; what is
//! then done to the object behind it is not, if the owner made its accesses before anything else told of the object.

use crate::access::GRANULE;
use crate::thread::Thread;
use crate::words;
use std::arch::asm;

/// What lies on the calling thread's stack now may be known to others from now on.
#[inline]
pub(crate) fn ends_here() {
    let thread = words::record() as *mut Thread;
    // On the runtime's own stack it has entered before.
    if thread.is_null() || words::stack() == 0 {
        return;
    }
    let stack_pointer: usize;
    // SAFETY: reads a register.
    unsafe {
        asm!("mov {}, rsp", out(reg) stack_pointer, options(nomem, nostack, preserves_flags))
    };
    // SAFETY: the calling thread's record, which is not lent out while the runtime's stack is free.
    unsafe { &mut *thread }.share_from(stack_pointer);
}

impl Thread {
    /// What lies on its stack from `start` on may be known to others from now on.
    #[inline]
    pub(crate) fn share_from(&mut self, start: usize) {
        if start < self.unshared_below || !self.stack.contains(start) {
            self.unshare_below(start);
        }
    }

    /// What lies on its stack below `end` is known to nobody else; all of it if that is the highest address, nothing if
    /// it is not on the stack.
    #[inline]
    pub(crate) fn unshare_below(&mut self, end: usize) {
        if end != self.unshared_below {
            self.set_unshared_below(end);
        }
    }

    fn set_unshared_below(&mut self, end: usize) {
        let (low, mut top) = (self.stack.low(), self.stack.top());
        if self.stack.contains(self.storage.start) {
            top = top.min(self.storage.start);
        }
        let is_there = end == usize::MAX || low < end && end <= self.stack.top();
        let is_known = is_there && self.is_quick;
        self.unshared_below = if is_known { end.min(top) } else { 0 };
        let granules = low.div_ceil(GRANULE)..self.unshared_below / GRANULE;
        self.cache
            .set_unshared(granules.start as u64..granules.end as u64);
    }
}
