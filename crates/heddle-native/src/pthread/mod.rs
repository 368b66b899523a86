//! Threads, locks and everything else by which threads of a program wait for each other.
//!
//! Taken over by name for the whole process; what stands behind does the work. A thread is a task that
//! is spawned where it is created and joined where it is joined; locks are locks; barriers and
//! once-only code are order in every schedule; conditions and semaphores hand over.
//!
//! The OpenMP runtime's own threads and locks, the C library's and ours are passed through: what they
//! mean for the program is said elsewhere. Nothing is held while a real function blocks, and nothing
//! needs cleaning up when a thread is cancelled there.

mod alone;
mod barrier;
mod c11;
mod condition;
mod mutex;
mod once;
pub(crate) mod precedence;
mod read_write;
mod room;
mod semaphore;
mod threads;
pub(crate) mod waiting;

pub(crate) use condition::{Signalled, notify};
pub(crate) use threads::tells_its_end;

use crate::access;
use crate::caller;
use crate::runtime::LockKind;
use crate::section;
use crate::thread;
use heddle_rt::{Kept, LockMode};
use std::ffi::c_int;

/// Tells the strands that threads may still come after: ends of threads, and arrivals at barriers.
pub(crate) fn list(kept: &mut Kept) {
    threads::list(kept);
    barrier::list(kept);
}

/// Takes a lock by `take`, a call at `pc` that waits for it if need be.
fn blocking<T>(
    lock: *const T,
    kind: LockKind,
    mode: LockMode,
    pc: usize,
    take: impl FnOnce() -> c_int,
) -> c_int {
    if !caller::is_program(pc) {
        return take();
    }
    thread::enter(|runtime, thread| {
        let (id, site) = (runtime.locks.id(lock as usize, kind), access::site(pc));
        let engine = &runtime.engine;
        engine.waits_for(&mut thread.cursor, id, mode, site);
        // A section begins with a strand of its own in any case.
        engine.rest(&mut thread.cursor);
        waiting::begin(lock, kind, id, thread.cursor.task(), site);
    });
    let status = precedence::contends(lock as usize, take);
    waiting::end();
    status
}

/// The task has taken a lock, by a call at `pc`.
fn taken<T>(lock: *const T, kind: LockKind, mode: LockMode, pc: usize) {
    thread::enter(|runtime, thread| {
        let lock = runtime.locks.id(lock as usize, kind);
        runtime.engine.acquire(&mut thread.cursor, lock, mode);
        let site = access::site(pc);
        let engine = &runtime.engine;
        engine.holds_since(&mut thread.cursor, lock, mode, site);
    });
}

/// The task is about to give a lock back. It may have taken it when nothing was checked yet.
fn given_back<T>(lock: *const T, kind: LockKind) {
    thread::enter(|runtime, thread| {
        let lock = runtime.locks.id(lock as usize, kind);
        if runtime.engine.holds(&thread.cursor, lock) {
            section::give_back(runtime, thread, lock);
        }
    });
}

/// A call at `pc` to take a lock has returned `status`; passes it on.
#[inline]
fn tried<T>(status: c_int, lock: *const T, kind: LockKind, mode: LockMode, pc: usize) -> c_int {
    if status == 0 && caller::is_program(pc) {
        taken(lock, kind, mode, pc);
    }
    status
}
