//! Condition variables: a wait gives its mutex back and takes it again.
//!
//! A wait may end without a signal, and whoever looks at the predicate late does not wait at all; what a waiter goes on
//! with is the predicate, which it reads in a section of the mutex, and that read hands over. So a race is as certain in a
//! run in which a thread had to wait as in one in which it came late. Only a waiter to which nothing was handed over from
//! its last wait to the end of the section relies on the signal: then that is the hand-off.

use super::mutex::{pthread_mutex_unlock, unlocks};
use super::precedence::{self, Wakes};
use super::{given_back, taken};
use crate::hand_off::{self, Reach, Released};
use crate::runtime::LockKind::Mutex;
use crate::shim::{behind, export};
use crate::{caller, thread};
use ::libc::{clockid_t, pthread_cond_t, pthread_mutex_t, timespec};
use heddle_rt::Kept;
use heddle_rt::LockMode::Exclusive;
use std::ffi::{c_int, c_void};

behind! {
    (c"GLIBC_2.3.2") fn pthread_cond_wait(condition: *mut pthread_cond_t, mutex: *mut pthread_mutex_t) -> c_int;
    (c"GLIBC_2.3.2") fn pthread_cond_timedwait(condition: *mut pthread_cond_t, mutex: *mut pthread_mutex_t, until: *const timespec) -> c_int;
    fn pthread_cond_clockwait(condition: *mut pthread_cond_t, mutex: *mut pthread_mutex_t, clock: clockid_t, until: *const timespec) -> c_int;
    (c"GLIBC_2.3.2") fn pthread_cond_signal(condition: *mut pthread_cond_t) -> c_int;
    (c"GLIBC_2.3.2") fn pthread_cond_broadcast(condition: *mut pthread_cond_t) -> c_int;
    (c"GLIBC_2.3.2") fn pthread_cond_destroy(condition: *mut pthread_cond_t) -> c_int;
}

/// What a wait may have ended by.
#[derive(Debug)]
pub(crate) struct Signalled {
    mutex: usize,
    by: Vec<Released>,
    /// How much was handed over to the task before.
    received: u32,
}

impl Signalled {
    /// Tells the strands that the thread may still come after.
    pub(crate) fn list(&self, kept: &mut Kept) {
        self.by.iter().for_each(|released| released.list(kept));
    }
}

/// The thread is about to give the mutex back.
pub(super) fn section_ends(mutex: usize) {
    if !thread::has_waited() {
        return;
    }
    thread::enter(|runtime, thread| {
        let last = thread.last_wait.take_if(|last| last.mutex == mutex);
        if let Some(last) = last.filter(|last| thread.cursor.received() == last.received) {
            for released in last.by {
                released.acquire(runtime, thread, Reach::Seen);
            }
        }
    });
}

/// The thread, which owns the mutex again, may have been woken at this condition.
fn woken<T>(condition: *mut T, mutex: *mut pthread_mutex_t) {
    thread::enter(|_, thread| {
        if let Some(releases) = hand_off::lock(condition as usize).get() {
            let signalled = Signalled {
                mutex: mutex as usize,
                by: releases.strands().to_vec(),
                received: thread.cursor.received(),
            };
            thread.last_wait = Some(signalled);
        }
    });
}

/// Waits by `wait`.
pub(super) unsafe fn waited<T>(
    condition: *mut T,
    mutex: *mut pthread_mutex_t,
    pc: usize,
    wait: impl FnOnce() -> c_int,
) -> c_int {
    if !caller::is_program(pc) {
        return wait();
    }
    // Whoever waits again has looked at the predicate.
    if thread::has_waited() {
        thread::enter(|_, thread| thread.last_wait = None);
    }
    // SAFETY: the caller owns the mutex, before and after.
    unsafe { unlocks(mutex, pc) };
    precedence::admits();
    precedence::waits(condition as usize, mutex as usize);
    // SAFETY: the mutex is owned again when the handler runs.
    let status = unsafe { with_handler(owned_again, mutex.cast(), wait) };
    precedence::returns(condition as usize, mutex as usize);
    // SAFETY: as above.
    unsafe { owned_again(mutex.cast()) };
    if status == 0 {
        woken(condition, mutex);
    }
    status
}

/// The wait is over, and the thread owns the mutex again: also when it was cancelled, before the
/// program's own handlers run.
unsafe extern "C" fn owned_again(mutex: *mut c_void) {
    taken(mutex, Mutex, Exclusive, 0);
}

/// glibc's record of what to do when a thread is cancelled.
#[repr(C)]
struct Handler {
    routine: unsafe extern "C" fn(*mut c_void),
    argument: *mut c_void,
    kind: c_int,
    outer: *mut Handler,
}

unsafe extern "C" {
    fn _pthread_cleanup_push(
        handler: *mut Handler,
        routine: unsafe extern "C" fn(*mut c_void),
        argument: *mut c_void,
    );
    fn _pthread_cleanup_pop(handler: *mut Handler, execute: c_int);
}

/// Runs `f`; if the thread is cancelled meanwhile, `routine` runs.
unsafe fn with_handler<R>(
    routine: unsafe extern "C" fn(*mut c_void),
    argument: *mut c_void,
    f: impl FnOnce() -> R,
) -> R {
    let mut handler = Handler {
        routine,
        argument,
        kind: 0,
        outer: std::ptr::null_mut(),
    };
    // SAFETY: the record lives until it is taken back, or until the thread has unwound past it.
    unsafe { _pthread_cleanup_push(&mut handler, routine, argument) };
    let result = f();
    // SAFETY: the last one pushed.
    unsafe { _pthread_cleanup_pop(&mut handler, 0) };
    result
}

/// A call at `pc` is about to wake who waits at the condition.
pub(super) fn notifies<T>(condition: *mut T, whom: Wakes, pc: usize) {
    if caller::is_program(pc) {
        note_signal(condition);
        precedence::wakes(condition as usize, whom);
    }
}

fn note_signal<T>(condition: *mut T) {
    thread::enter(|runtime, thread| {
        hand_off::lock(condition as usize)
            .entry()
            .add(runtime, thread);
    });
}

/// Gives the mutex back and notifies all who wait at the condition, for the program.
///
/// # Safety
/// The thread owns the mutex, and both are valid.
pub(crate) unsafe fn notify(condition: *mut pthread_cond_t, mutex: *mut pthread_mutex_t) {
    given_back(mutex, Mutex);
    note_signal(condition);
    precedence::wakes(condition as usize, Wakes::All);
    // SAFETY: by the contract.
    unsafe {
        pthread_mutex_unlock(mutex);
        pthread_cond_broadcast(condition);
    }
}

/// What was signalled here is over: the place may become another condition's.
pub(super) fn destroyed<T>(condition: *mut T) {
    thread::enter(|_, _| {
        if let Some(releases) = hand_off::lock(condition as usize).get() {
            releases.clear();
        }
    });
}

// SAFETY of all blocks below: each repeats the program's own call, so its contract is the program's.
export! {
    ["pthread_cond_wait"] fn wait(condition: *mut pthread_cond_t, mutex: *mut pthread_mutex_t) at pc -> c_int {
        // SAFETY: see above.
        unsafe { waited(condition, mutex, pc, || pthread_cond_wait(condition, mutex)) }
    }

    ["pthread_cond_timedwait"] fn timed_wait(condition: *mut pthread_cond_t, mutex: *mut pthread_mutex_t, until: *const timespec) at pc -> c_int {
        // SAFETY: see above.
        unsafe { waited(condition, mutex, pc, || pthread_cond_timedwait(condition, mutex, until)) }
    }

    ["pthread_cond_clockwait"] fn clock_wait(condition: *mut pthread_cond_t, mutex: *mut pthread_mutex_t, clock: clockid_t, until: *const timespec) at pc -> c_int {
        // SAFETY: see above.
        unsafe { waited(condition, mutex, pc, || pthread_cond_clockwait(condition, mutex, clock, until)) }
    }

    ["pthread_cond_signal"] fn signal(condition: *mut pthread_cond_t) at pc -> c_int {
        notifies(condition, Wakes::One, pc);
        // SAFETY: see above.
        unsafe { pthread_cond_signal(condition) }
    }

    ["pthread_cond_broadcast"] fn broadcast(condition: *mut pthread_cond_t) at pc -> c_int {
        notifies(condition, Wakes::All, pc);
        // SAFETY: see above.
        unsafe { pthread_cond_broadcast(condition) }
    }

    ["pthread_cond_destroy"] fn destroy(condition: *mut pthread_cond_t) at _pc -> c_int {
        destroyed(condition);
        // SAFETY: see above.
        unsafe { pthread_cond_destroy(condition) }
    }
}
