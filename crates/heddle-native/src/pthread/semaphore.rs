//! Semaphores: a wait comes after posts before it. Which of them ended it is not known, so all that were
//! made hand over.

use super::precedence::{self, Wakes};
use crate::shim::{behind, export};
use crate::{caller, hand_off, thread};
use ::libc::{clockid_t, sem_t, timespec};
use std::ffi::c_int;

behind! {
    fn sem_post(semaphore: *mut sem_t) -> c_int, or -1;
    fn sem_wait(semaphore: *mut sem_t) -> c_int, or -1;
    fn sem_trywait(semaphore: *mut sem_t) -> c_int, or -1;
    fn sem_timedwait(semaphore: *mut sem_t, until: *const timespec) -> c_int, or -1;
    fn sem_clockwait(semaphore: *mut sem_t, clock: clockid_t, until: *const timespec) -> c_int, or -1;
    fn sem_destroy(semaphore: *mut sem_t) -> c_int, or -1;
}

/// A wait at `pc` has returned `status`; passes it on.
fn waited(semaphore: *mut sem_t, status: c_int, pc: usize) -> c_int {
    if status == 0 && caller::is_program(pc) {
        thread::enter(|runtime, thread| {
            if let Some(releases) = hand_off::lock(semaphore as usize).get() {
                releases.acquire(runtime, thread);
            }
        });
    }
    status
}

/// Waits by `wait`, a call at `pc`.
fn blocking(semaphore: *mut sem_t, pc: usize, wait: impl FnOnce() -> c_int) -> c_int {
    thread::rests();
    if !caller::is_program(pc) {
        return wait();
    }
    let semaphore = semaphore as usize;
    precedence::gives_way(semaphore);
    precedence::waits(semaphore, semaphore);
    precedence::arrives();
    let status = wait();
    precedence::returns(semaphore, semaphore);
    status
}

// SAFETY of all blocks below: each repeats the program's own call, so its contract is the program's.
export! {
    ["sem_post"] fn post(semaphore: *mut sem_t) at pc -> c_int {
        super::condition::notifies(semaphore, Wakes::One, pc);
        // SAFETY: see above.
        unsafe { sem_post(semaphore) }
    }

    ["sem_wait"] fn wait(semaphore: *mut sem_t) at pc -> c_int {
        // SAFETY: see above.
        waited(semaphore, blocking(semaphore, pc, || unsafe { sem_wait(semaphore) }), pc)
    }

    ["sem_trywait"] fn try_wait(semaphore: *mut sem_t) at pc -> c_int {
        // SAFETY: see above.
        waited(semaphore, unsafe { sem_trywait(semaphore) }, pc)
    }

    ["sem_timedwait"] fn timed_wait(semaphore: *mut sem_t, until: *const timespec) at pc -> c_int {
        // SAFETY: see above.
        waited(semaphore, blocking(semaphore, pc, || unsafe { sem_timedwait(semaphore, until) }), pc)
    }

    ["sem_clockwait"] fn clock_wait(semaphore: *mut sem_t, clock: clockid_t, until: *const timespec) at pc -> c_int {
        // SAFETY: see above.
        waited(semaphore, blocking(semaphore, pc, || unsafe { sem_clockwait(semaphore, clock, until) }), pc)
    }

    ["sem_destroy"] fn destroy(semaphore: *mut sem_t) at _pc -> c_int {
        super::condition::destroyed(semaphore);
        // SAFETY: see above.
        unsafe { sem_destroy(semaphore) }
    }
}
