//! Which threads wait for which locks, for the report of a program that hangs and is interrupted.
//!
//! Each thread says for itself what it waits for, in words that another thread may read at any time. Who has
//! a lock is asked of the lock: glibc's mutexes and readers-writer locks keep the number of their owner.
//!
//! The others go on while one looks. A thread that has its lock may not have said so yet: it is the owner then,
//! and was not when it began to wait. And what was read of two threads need not have held at one time. So there are
//! two looks, and only what both have seen counts: a thread of the circle that waited in the same wait at both
//! looks could not release anything between them, so there was a moment at which all of the circle waited.

use crate::runtime::LockKind;
use heddle_core::{LockId, SiteId, TaskId};
use std::ffi::c_int;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicUsize, Ordering};

/// What a thread says.
#[derive(Debug, Default)]
struct Slot {
    thread: AtomicI32,
    /// 0 while it does not wait.
    address: AtomicUsize,
    is_mutex: AtomicU32,
    /// Whether the thread itself had the lock when it began to wait for it.
    had_it: AtomicU32,
    /// How often the thread has begun to wait.
    turn: AtomicU32,
    lock: AtomicU32,
    task: AtomicU32,
    site: AtomicU32,
}

static SLOTS: Mutex<Vec<&'static Slot>> = Mutex::new(Vec::new());

thread_local! {
    static SLOT: &'static Slot = register();
}

fn register() -> &'static Slot {
    let slot: &Slot = Box::leak(Box::default());
    // SAFETY: asks for the number of the calling thread.
    let thread = unsafe { ::libc::syscall(::libc::SYS_gettid) } as i32;
    slot.thread.store(thread, Ordering::Relaxed);
    if let Ok(mut slots) = SLOTS.lock() {
        slots.push(slot);
    }
    slot
}

/// A thread that waits for a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waiting {
    thread: i32,
    owner: i32,
    turn: u32,
    /// The task it executes.
    pub task: TaskId,
    /// The lock.
    pub lock: LockId,
    /// Where it waits.
    pub site: SiteId,
}

/// The calling thread is about to wait.
pub(super) fn begin<T>(lock: *const T, kind: LockKind, id: LockId, task: TaskId, site: SiteId) {
    let _ = SLOT.try_with(|slot| {
        slot.lock.store(id.raw(), Ordering::Relaxed);
        slot.task.store(task.raw(), Ordering::Relaxed);
        slot.site.store(site.raw(), Ordering::Relaxed);
        let is_mutex = u32::from(kind == LockKind::Mutex);
        slot.is_mutex.store(is_mutex, Ordering::Relaxed);
        let had_it = owner(lock as usize, is_mutex) == slot.thread.load(Ordering::Relaxed);
        slot.had_it.store(u32::from(had_it), Ordering::Relaxed);
        slot.turn.fetch_add(1, Ordering::Relaxed);
        slot.address.store(lock as usize, Ordering::Release);
    });
}

/// It waits no longer.
pub(super) fn end() {
    let _ = SLOT.try_with(|slot| slot.address.store(0, Ordering::Release));
}

/// The threads that wait for each other in a circle. None if that cannot be told now.
pub fn in_circles() -> Vec<Waiting> {
    let Ok(slots) = SLOTS.try_lock() else {
        return Vec::new();
    };
    let look = || slots.iter().filter_map(|slot| waiting(slot));
    let first: Vec<Waiting> = look().collect();
    let waiting: Vec<Waiting> = look().filter(|wait| first.contains(wait)).collect();
    let next = |one: &Waiting| waiting.iter().find(|other| other.thread == one.owner);
    let is_in_circle = |start: &&Waiting| {
        let mut at = next(start);
        for _ in 0..waiting.len() {
            match at {
                Some(one) if one.thread == start.thread => return true,
                Some(one) => at = next(one),
                None => return false,
            }
        }
        false
    };
    waiting.iter().filter(is_in_circle).copied().collect()
}

fn waiting(slot: &Slot) -> Option<Waiting> {
    let address = slot.address.load(Ordering::Acquire);
    if address == 0 {
        return None;
    }
    let thread = slot.thread.load(Ordering::Relaxed);
    let owner = owner(address, slot.is_mutex.load(Ordering::Relaxed));
    if owner == thread && slot.had_it.load(Ordering::Relaxed) == 0 {
        return None;
    }
    Some(Waiting {
        thread,
        owner,
        turn: slot.turn.load(Ordering::Relaxed),
        task: TaskId::new(slot.task.load(Ordering::Relaxed)),
        lock: LockId::new(slot.lock.load(Ordering::Relaxed)),
        site: SiteId::new(slot.site.load(Ordering::Relaxed)),
    })
}

/// The number of the thread that has the lock at `address`, for which a thread waits.
fn owner(address: usize, is_mutex: u32) -> c_int {
    match is_mutex {
        // SAFETY: a thread waits for this mutex, so it is one; its owner's number is at eight bytes.
        1 => unsafe { ((address + 8) as *const c_int).read_volatile() },
        // SAFETY: likewise; the number of a lock's writer is at 24 bytes.
        _ => unsafe { ((address + 24) as *const c_int).read_volatile() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of a mutex that this thread waits for, and whether it is said to be in a circle.
    fn is_stuck(mutex: &[c_int; 8], id: u32) -> bool {
        assert_ne!(mutex[0], 0, "somebody has it");
        in_circles().iter().any(|wait| wait.lock == LockId::new(id))
    }

    #[test]
    fn a_thread_waits_for_itself_only_if_it_had_the_lock_before() {
        let [task, site] = [7; 2];
        let begin_at = |mutex: &[c_int; 8], id| {
            let (task, site) = (TaskId::new(task), SiteId::new(site));
            begin(mutex, LockKind::Mutex, LockId::new(id), task, site);
        };
        // SAFETY: asks for the number of the calling thread.
        let this = unsafe { ::libc::syscall(::libc::SYS_gettid) } as c_int;
        let mut mutex = [1, 0, -1, 0, 0, 0, 0, 0];
        begin_at(&mutex, 90_001);
        mutex[2] = this;
        assert!(!is_stuck(std::hint::black_box(&mutex), 90_001), "it got it");
        end();
        begin_at(&mutex, 90_002);
        assert!(is_stuck(&mutex, 90_002), "it waits for itself");
        end();
        assert!(!is_stuck(&mutex, 90_002), "it waits no more");
    }
}
