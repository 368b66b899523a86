//! Mutexes and spin locks.

use super::condition::section_ends;
use super::precedence;
use super::{blocking, given_back, taken, tried};
use crate::caller;
use crate::runtime::LockKind::Mutex;
use crate::shim::{behind, export};
use ::libc::{clockid_t, pthread_mutex_t, pthread_spinlock_t, timespec};
use heddle_rt::LockMode::Exclusive;
use std::ffi::c_int;

behind! {
    fn pthread_mutex_lock(mutex: *mut pthread_mutex_t) -> c_int;
    fn pthread_mutex_trylock(mutex: *mut pthread_mutex_t) -> c_int;
    fn pthread_mutex_timedlock(mutex: *mut pthread_mutex_t, until: *const timespec) -> c_int;
    fn pthread_mutex_clocklock(mutex: *mut pthread_mutex_t, clock: clockid_t, until: *const timespec) -> c_int;
    fn pthread_mutex_unlock(mutex: *mut pthread_mutex_t) -> c_int;
    fn pthread_spin_lock(lock: *mut pthread_spinlock_t) -> c_int;
    fn pthread_spin_trylock(lock: *mut pthread_spinlock_t) -> c_int;
    fn pthread_spin_unlock(lock: *mut pthread_spinlock_t) -> c_int;
}

/// The part of glibc's mutex that tells how often its owner has taken it.
#[repr(C)]
struct Inner {
    lock: c_int,
    count: u32,
    owner: c_int,
    users: u32,
    kind: c_int,
}

/// The bits of `kind` that tell how a mutex behaves, without those for its other attributes.
const BEHAVIOUR: c_int = 3;

/// Whether the calling thread, which owns the mutex, has taken it more than once.
unsafe fn is_nested(mutex: *const pthread_mutex_t) -> bool {
    // SAFETY: a mutex of glibc's begins so, and only its owner changes the count.
    let inner = unsafe { &*mutex.cast::<Inner>() };
    inner.kind & BEHAVIOUR == ::libc::PTHREAD_MUTEX_RECURSIVE && inner.count > 1
}

/// A call at `pc` to take the mutex has returned `status`; passes it on. Of a mutex taken again by its
/// owner, only the outermost section counts. One whose owner died is taken all the same.
pub(super) unsafe fn locked(mutex: *mut pthread_mutex_t, status: c_int, pc: usize) -> c_int {
    let owned = matches!(status, 0 | ::libc::EOWNERDEAD);
    // SAFETY: the caller owns it now.
    if owned && caller::is_program(pc) && !unsafe { is_nested(mutex) } {
        taken(mutex, Mutex, Exclusive, pc);
    }
    status
}

/// A call at `pc` is about to give the mutex back.
pub(super) unsafe fn unlocks(mutex: *mut pthread_mutex_t, pc: usize) {
    // SAFETY: the caller owns it; if it does not, what is read is not used, as it is not held.
    if caller::is_program(pc) && !unsafe { is_nested(mutex) } {
        section_ends(mutex as usize);
        given_back(mutex, Mutex);
    }
}

// SAFETY of all blocks below: each repeats the program's own call, so its contract is the program's.
export! {
    ["pthread_mutex_lock"] fn lock(mutex: *mut pthread_mutex_t) at pc -> c_int {
        // SAFETY: see above.
        unsafe {
            let take = || pthread_mutex_lock(mutex);
            locked(mutex, blocking(mutex, Mutex, Exclusive, pc, take), pc)
        }
    }

    ["pthread_mutex_trylock"] fn try_lock(mutex: *mut pthread_mutex_t) at pc -> c_int {
        // SAFETY: see above.
        unsafe { locked(mutex, pthread_mutex_trylock(mutex), pc) }
    }

    ["pthread_mutex_timedlock"] fn timed_lock(mutex: *mut pthread_mutex_t, until: *const timespec) at pc -> c_int {
        // SAFETY: see above.
        unsafe { locked(mutex, pthread_mutex_timedlock(mutex, until), pc) }
    }

    ["pthread_mutex_clocklock"] fn clock_lock(mutex: *mut pthread_mutex_t, clock: clockid_t, until: *const timespec) at pc -> c_int {
        // SAFETY: see above.
        unsafe { locked(mutex, pthread_mutex_clocklock(mutex, clock, until), pc) }
    }

    ["pthread_mutex_unlock"] fn unlock(mutex: *mut pthread_mutex_t) at pc -> c_int {
        // SAFETY: see above.
        unsafe {
            unlocks(mutex, pc);
            let status = pthread_mutex_unlock(mutex);
            precedence::gave_back(mutex as usize);
            status
        }
    }

    ["pthread_spin_lock"] fn spin_lock(lock: *mut pthread_spinlock_t) at pc -> c_int {
        // SAFETY: see above.
        tried(unsafe { pthread_spin_lock(lock) }, lock, Mutex, Exclusive, pc)
    }

    ["pthread_spin_trylock"] fn try_spin_lock(lock: *mut pthread_spinlock_t) at pc -> c_int {
        // SAFETY: see above.
        tried(unsafe { pthread_spin_trylock(lock) }, lock, Mutex, Exclusive, pc)
    }

    ["pthread_spin_unlock"] fn spin_unlock(lock: *mut pthread_spinlock_t) at pc -> c_int {
        if caller::is_program(pc) {
            given_back(lock, Mutex);
        }
        // SAFETY: see above.
        unsafe { pthread_spin_unlock(lock) }
    }
}
