//! The threads of C11. In glibc a `mtx_t` is a mutex and a `thrd_t` a thread id; only statuses differ,
//! and success is 0 in both.

use super::blocking;
use super::condition::{destroyed, notifies, waited};
use super::mutex::{locked, unlocks};
use super::precedence::{self, Wakes};
use super::threads::{Routine, created, joined};
use crate::runtime::LockKind;
use crate::shim::{behind, export};
use crate::{access, caller};
use ::libc::{pthread_mutex_t, pthread_t, timespec};
use heddle_rt::LockMode;
use std::ffi::{c_int, c_void};

type Mutex = *mut pthread_mutex_t;
type Condition = *mut c_void;

/// `thrd_error`.
const ERROR: c_int = 2;

behind! {
    fn thrd_create(id: *mut pthread_t, routine: Routine<c_int>, argument: *mut c_void) -> c_int, or ERROR;
    fn thrd_join(id: pthread_t, result: *mut c_int) -> c_int, or ERROR;
    fn mtx_lock(mutex: Mutex) -> c_int, or ERROR;
    fn mtx_trylock(mutex: Mutex) -> c_int, or ERROR;
    fn mtx_timedlock(mutex: Mutex, until: *const timespec) -> c_int, or ERROR;
    fn mtx_unlock(mutex: Mutex) -> c_int, or ERROR;
    fn cnd_wait(condition: Condition, mutex: Mutex) -> c_int, or ERROR;
    fn cnd_timedwait(condition: Condition, mutex: Mutex, until: *const timespec) -> c_int, or ERROR;
    fn cnd_signal(condition: Condition) -> c_int, or ERROR;
    fn cnd_broadcast(condition: Condition) -> c_int, or ERROR;
    fn cnd_destroy(condition: Condition), or ();
}

// SAFETY of all blocks below: each repeats the program's own call, so its contract is the program's.
export! {
    ["thrd_create"] fn create(id: *mut pthread_t, routine: Routine<c_int>, argument: *mut c_void) at pc -> c_int {
        let status = created(routine, argument, pc, |routine, argument| {
            // SAFETY: see above.
            unsafe { thrd_create(id, routine, argument) }
        });
        if status == 0 && caller::is_program(pc) {
            access::write(id as usize, size_of::<pthread_t>(), pc);
        }
        status
    }

    ["thrd_join"] fn join(id: pthread_t, result: *mut c_int) at pc -> c_int {
        precedence::admits();
        crate::thread::rests();
        // SAFETY: see above.
        joined(id, unsafe { thrd_join(id, result) }, pc)
    }

    ["mtx_lock"] fn lock(mutex: Mutex) at pc -> c_int {
        // SAFETY: see above.
        unsafe {
            let take = || mtx_lock(mutex);
            locked(mutex, blocking(mutex, LockKind::Mutex, LockMode::Exclusive, pc, take), pc)
        }
    }

    ["mtx_trylock"] fn try_lock(mutex: Mutex) at pc -> c_int {
        // SAFETY: see above.
        unsafe { locked(mutex, mtx_trylock(mutex), pc) }
    }

    ["mtx_timedlock"] fn timed_lock(mutex: Mutex, until: *const timespec) at pc -> c_int {
        // SAFETY: see above.
        unsafe { locked(mutex, mtx_timedlock(mutex, until), pc) }
    }

    ["mtx_unlock"] fn unlock(mutex: Mutex) at pc -> c_int {
        // SAFETY: see above.
        unsafe {
            unlocks(mutex, pc);
            let status = mtx_unlock(mutex);
            precedence::gave_back(mutex as usize);
            status
        }
    }

    ["cnd_wait"] fn wait(condition: Condition, mutex: Mutex) at pc -> c_int {
        // SAFETY: see above.
        unsafe { waited(condition, mutex, pc, || cnd_wait(condition, mutex)) }
    }

    ["cnd_timedwait"] fn timed_wait(condition: Condition, mutex: Mutex, until: *const timespec) at pc -> c_int {
        // SAFETY: see above.
        unsafe { waited(condition, mutex, pc, || cnd_timedwait(condition, mutex, until)) }
    }

    ["cnd_signal"] fn signal(condition: Condition) at pc -> c_int {
        notifies(condition, Wakes::One, pc);
        // SAFETY: see above.
        unsafe { cnd_signal(condition) }
    }

    ["cnd_broadcast"] fn broadcast(condition: Condition) at pc -> c_int {
        notifies(condition, Wakes::All, pc);
        // SAFETY: see above.
        unsafe { cnd_broadcast(condition) }
    }

    ["cnd_destroy"] fn destroy(condition: Condition) at _pc {
        destroyed(condition);
        // SAFETY: see above.
        unsafe { cnd_destroy(condition) };
    }
}
