//! What of a thread's stack, and of its tasks' records, no other thread or task can know of.
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
//! A task's record, where the compiler keeps what it has captured and its private variables, is likewise known to nobody
//! but the task that creates it until it has, and then to nobody but the task itself ([`Thread::unshare_record`]). One
//! record at a time counts so: that of the running task, or the one that it is about to fill in. Any such call ends
//! that, too.
//!
//! # What is not seen
//! A task may learn the address by a race: another stores it in a plain variable. That race is reported; what is
//! then done to the object behind it is not, if the owner made its accesses before anything else told of the object.

use crate::access::GRANULE;
use crate::thread::Thread;
use crate::words;
use std::arch::asm;
use std::ops::Range;

/// The kinds of what is unshared.
const STACK: usize = 0;
const RECORD: usize = 1;

/// The calling thread's record; none on the runtime's own stack, for there it has entered before.
#[inline]
fn of_program() -> Option<&'static mut Thread> {
    let thread = words::record() as *mut Thread;
    if thread.is_null() || words::stack() == 0 {
        return None;
    }
    // SAFETY: the calling thread's record, which is not lent out while the runtime's stack is free.
    Some(unsafe { &mut *thread })
}

/// The calling thread's task has this record, which is fresh, for a task that it is about to create.
#[inline]
pub(crate) fn has_new_record(record: Range<usize>) {
    if let Some(thread) = of_program() {
        thread.openmp.new_record = record.clone();
        thread.unshare_record(record);
    }
}

/// What lies on the calling thread's stack now may be known to others from now on.
#[inline]
pub(crate) fn ends_here() {
    let Some(thread) = of_program() else { return };
    let stack_pointer: usize;
    // SAFETY: reads a register.
    unsafe {
        asm!("mov {}, rsp", out(reg) stack_pointer, options(nomem, nostack, preserves_flags))
    };
    thread.share_from(stack_pointer);
}

impl Thread {
    /// What lies on its stack from `start` on may be known to others from now on, and so may any record.
    #[inline]
    pub(crate) fn share_from(&mut self, start: usize) {
        self.share_record();
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
            .set_unshared(STACK, granules.start as u64..granules.end as u64);
    }

    /// The only record that the running task alone knows of.
    #[inline]
    pub(crate) fn unshare_record(&mut self, record: Range<usize>) {
        if self.is_quick {
            self.has_unshared_record = !record.is_empty();
            let granules = record.start.div_ceil(GRANULE)..record.end / GRANULE;
            self.cache
                .set_unshared(RECORD, granules.start as u64..granules.end as u64);
        }
    }

    /// Others may know of every record from now on.
    #[inline]
    pub(crate) fn share_record(&mut self) {
        if self.has_unshared_record {
            self.openmp.new_record = 0..0;
            self.unshare_record(0..0);
        }
    }
}
