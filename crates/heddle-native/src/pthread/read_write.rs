//! Readers-writer locks. A thread may hold one for reading several times; each counts.

use super::{blocking, given_back, tried};
use crate::caller;
use crate::runtime::LockKind::ReadWrite;
use crate::shim::{behind, export};
use ::libc::{clockid_t, pthread_rwlock_t, timespec};
use heddle_rt::LockMode::{Exclusive, Shared};
use std::ffi::c_int;

behind! {
    fn pthread_rwlock_rdlock(lock: *mut pthread_rwlock_t) -> c_int;
    fn pthread_rwlock_tryrdlock(lock: *mut pthread_rwlock_t) -> c_int;
    fn pthread_rwlock_timedrdlock(lock: *mut pthread_rwlock_t, until: *const timespec) -> c_int;
    fn pthread_rwlock_clockrdlock(lock: *mut pthread_rwlock_t, clock: clockid_t, until: *const timespec) -> c_int;
    fn pthread_rwlock_wrlock(lock: *mut pthread_rwlock_t) -> c_int;
    fn pthread_rwlock_trywrlock(lock: *mut pthread_rwlock_t) -> c_int;
    fn pthread_rwlock_timedwrlock(lock: *mut pthread_rwlock_t, until: *const timespec) -> c_int;
    fn pthread_rwlock_clockwrlock(lock: *mut pthread_rwlock_t, clock: clockid_t, until: *const timespec) -> c_int;
    fn pthread_rwlock_unlock(lock: *mut pthread_rwlock_t) -> c_int;
}

// SAFETY of all blocks below: each repeats the program's own call, so its contract is the program's.
export! {
    ["pthread_rwlock_rdlock"] fn read(lock: *mut pthread_rwlock_t) at pc -> c_int {
        // SAFETY: see above.
        let take = || unsafe { pthread_rwlock_rdlock(lock) };
        tried(blocking(lock, ReadWrite, Shared, pc, take), lock, ReadWrite, Shared, pc)
    }

    ["pthread_rwlock_tryrdlock"] fn try_read(lock: *mut pthread_rwlock_t) at pc -> c_int {
        // SAFETY: see above.
        tried(unsafe { pthread_rwlock_tryrdlock(lock) }, lock, ReadWrite, Shared, pc)
    }

    ["pthread_rwlock_timedrdlock"] fn timed_read(lock: *mut pthread_rwlock_t, until: *const timespec) at pc -> c_int {
        // SAFETY: see above.
        tried(unsafe { pthread_rwlock_timedrdlock(lock, until) }, lock, ReadWrite, Shared, pc)
    }

    ["pthread_rwlock_clockrdlock"] fn clock_read(lock: *mut pthread_rwlock_t, clock: clockid_t, until: *const timespec) at pc -> c_int {
        // SAFETY: see above.
        tried(unsafe { pthread_rwlock_clockrdlock(lock, clock, until) }, lock, ReadWrite, Shared, pc)
    }

    ["pthread_rwlock_wrlock"] fn write(lock: *mut pthread_rwlock_t) at pc -> c_int {
        // SAFETY: see above.
        let take = || unsafe { pthread_rwlock_wrlock(lock) };
        tried(blocking(lock, ReadWrite, Exclusive, pc, take), lock, ReadWrite, Exclusive, pc)
    }

    ["pthread_rwlock_trywrlock"] fn try_write(lock: *mut pthread_rwlock_t) at pc -> c_int {
        // SAFETY: see above.
        tried(unsafe { pthread_rwlock_trywrlock(lock) }, lock, ReadWrite, Exclusive, pc)
    }

    ["pthread_rwlock_timedwrlock"] fn timed_write(lock: *mut pthread_rwlock_t, until: *const timespec) at pc -> c_int {
        // SAFETY: see above.
        tried(unsafe { pthread_rwlock_timedwrlock(lock, until) }, lock, ReadWrite, Exclusive, pc)
    }

    ["pthread_rwlock_clockwrlock"] fn clock_write(lock: *mut pthread_rwlock_t, clock: clockid_t, until: *const timespec) at pc -> c_int {
        // SAFETY: see above.
        tried(unsafe { pthread_rwlock_clockwrlock(lock, clock, until) }, lock, ReadWrite, Exclusive, pc)
    }

    ["pthread_rwlock_unlock"] fn unlock(lock: *mut pthread_rwlock_t) at pc -> c_int {
        if caller::is_program(pc) {
            given_back(lock, ReadWrite);
        }
        // SAFETY: see above.
        unsafe { pthread_rwlock_unlock(lock) }
    }
}
