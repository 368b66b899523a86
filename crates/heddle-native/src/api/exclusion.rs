//! Isolated sections and locks: real exclusion on a pool of threads, and its meaning for the order.
//!
//! An isolated section is a section of one global lock. Nested ones count once.

use super::turns;
use crate::runtime::LockKind;
use crate::shim::export;
use crate::thread;
use heddle_core::LockId;
use heddle_rt::LockMode;
use std::ffi::c_int;
use std::sync::atomic::{AtomicU32, Ordering};

const FREE: u32 = 0;
const TAKEN: u32 = 1;
/// Taken, and others may be asleep.
const WANTED: u32 = 2;

/// The lock of `heddle.h`; all zeroes is free.
#[derive(Debug)]
#[repr(C)]
pub(super) struct RawLock {
    state: AtomicU32,
    /// One more than the number of the thread that has it.
    owner: AtomicU32,
    /// How often its owner has taken it.
    depth: AtomicU32,
    reserved: u32,
}

static ISOLATED: RawLock = RawLock {
    state: AtomicU32::new(FREE),
    owner: AtomicU32::new(0),
    depth: AtomicU32::new(0),
    reserved: 0,
};

/// Whether the lock was had.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Had {
    Yes,
    No,
}

impl RawLock {
    fn try_take(&self, me: u32) -> Had {
        let taken = self
            .state
            .compare_exchange(FREE, TAKEN, Ordering::Acquire, Ordering::Relaxed)
            .is_ok();
        if taken {
            self.owner.store(me, Ordering::Relaxed);
        }
        if taken { Had::Yes } else { Had::No }
    }

    fn take(&self, me: u32) {
        if self.try_take(me) == Had::Yes {
            return;
        }
        while self.state.swap(WANTED, Ordering::Acquire) != FREE {
            self.sleep();
        }
        self.owner.store(me, Ordering::Relaxed);
    }

    fn is_mine(&self, me: u32) -> bool {
        self.owner.load(Ordering::Relaxed) == me
    }

    fn give_back(&self) {
        self.owner.store(0, Ordering::Relaxed);
        if self.state.swap(FREE, Ordering::Release) == WANTED {
            // SAFETY: wakes whoever sleeps on our own word.
            unsafe {
                let wake = ::libc::FUTEX_WAKE | ::libc::FUTEX_PRIVATE_FLAG;
                ::libc::syscall(::libc::SYS_futex, self.state.as_ptr(), wake, 1)
            };
        }
    }

    fn sleep(&self) {
        // SAFETY: sleeps on our own word for as long as it says so, or less.
        unsafe {
            let wait = ::libc::FUTEX_WAIT | ::libc::FUTEX_PRIVATE_FLAG;
            let forever = std::ptr::null::<::libc::timespec>();
            ::libc::syscall(
                ::libc::SYS_futex,
                self.state.as_ptr(),
                wait,
                WANTED,
                forever,
            )
        };
    }
}

/// The calling thread as an owner; one that is not checked has no number.
fn me() -> u32 {
    thread::enter(|_, thread| thread.number + 1).unwrap_or(u32::MAX)
}

fn isolated_begin(pc: usize) {
    let me = me();
    if !ISOLATED.is_mine(me) {
        turns::take(turns::ISOLATED, pc);
        ISOLATED.take(me);
    }
    ISOLATED.depth.fetch_add(1, Ordering::Relaxed);
    thread::enter(|runtime, thread| {
        thread.api.isolated += 1;
        if thread.api.isolated == 1 {
            runtime
                .engine
                .acquire(&mut thread.cursor, LockId::ISOLATED, LockMode::Exclusive);
        }
    });
}

fn isolated_end() {
    if !ISOLATED.is_mine(me()) {
        return;
    }
    thread::enter(|runtime, thread| {
        let left = thread.api.isolated.saturating_sub(1);
        if std::mem::replace(&mut thread.api.isolated, left) == 1 {
            crate::section::give_back(runtime, thread, LockId::ISOLATED);
        }
    });
    if ISOLATED.depth.fetch_sub(1, Ordering::Relaxed) == 1 {
        ISOLATED.give_back();
        turns::give_back(turns::ISOLATED);
    }
}

fn taken(lock: *const RawLock) {
    thread::enter(|runtime, thread| {
        let lock = runtime.locks.id(lock as usize, LockKind::Other);
        runtime
            .engine
            .acquire(&mut thread.cursor, lock, LockMode::Exclusive);
    });
}

fn given_back(lock: *const RawLock) {
    thread::enter(|runtime, thread| {
        let lock = runtime.locks.id(lock as usize, LockKind::Other);
        if runtime.engine.holds(&thread.cursor, lock) {
            crate::section::give_back(runtime, thread, lock);
        }
    });
}

/// A task wants a lock that its own thread has: then it waits for itself, or for a task that waits for
/// it.
#[cold]
fn deadlock() -> ! {
    crate::say::say!(
        "heddle: deadlock: a task takes a lock that it holds, or that a task which waits for it holds"
    );
    std::process::abort()
}

// SAFETY of all blocks below: the caller passes a lock that lives at least until the call returns.
export! {
    /// Enters an isolated section.
    ["heddle_isolated_begin"] fn isolated_begins() at pc {
        isolated_begin(pc);
    }

    /// Leaves it.
    ["heddle_isolated_end"] fn isolated_ends() at _pc {
        isolated_end();
    }

    /// Takes a lock.
    ["heddle_lock_acquire"] fn lock_acquire(lock: *const RawLock) at pc {
        turns::take(lock.addr(), pc);
        // SAFETY: see above.
        let raw = unsafe { &*lock };
        let me = me();
        if raw.is_mine(me) {
            deadlock();
        }
        raw.take(me);
        taken(lock);
    }

    /// Takes a lock if it is free. Whether it was.
    ["heddle_lock_try"] fn lock_try(lock: *const RawLock) at pc -> c_int {
        turns::try_take(pc);
        // SAFETY: see above.
        if unsafe { &*lock }.try_take(me()) == Had::No {
            return 0;
        }
        turns::has_taken(lock.addr());
        taken(lock);
        1
    }

    /// Gives a lock back.
    ["heddle_lock_release"] fn lock_release(lock: *const RawLock) at pc {
        turns::will_give_back(pc);
        given_back(lock);
        // SAFETY: see above.
        unsafe { &*lock }.give_back();
        turns::give_back(lock.addr());
    }
}
