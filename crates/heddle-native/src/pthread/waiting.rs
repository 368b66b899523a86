//! Which threads wait for which locks, for the report of a program that hangs and is interrupted.
//!
//! Each thread says for itself what it waits for, in words that another thread may read at any time. Who has
//! a lock is asked of the lock: glibc's mutexes and readers-writer locks keep the number of their owner.

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
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    thread: i32,
    owner: i32,
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
        slot.address.store(lock as usize, Ordering::Release);
    });
}

/// It waits no longer.
pub(super) fn end() {
    let _ = SLOT.try_with(|slot| slot.address.store(0, Ordering::Release));
}

/// The threads that wait for each other in a circle. None if that cannot be told now.
pub fn in_circles() -> Vec<Waiting> {
    let waiting: Vec<Waiting> = match SLOTS.try_lock() {
        Ok(slots) => slots.iter().filter_map(|slot| waiting(slot)).collect(),
        Err(_) => return Vec::new(),
    };
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
    let owner = match slot.is_mutex.load(Ordering::Relaxed) {
        // SAFETY: a thread waits for this mutex, so it is one; its owner's number is at eight bytes.
        1 => unsafe { ((address + 8) as *const c_int).read_volatile() },
        // SAFETY: likewise; the number of a lock's writer is at 24 bytes.
        _ => unsafe { ((address + 24) as *const c_int).read_volatile() },
    };
    Some(Waiting {
        thread: slot.thread.load(Ordering::Relaxed),
        owner,
        task: TaskId::new(slot.task.load(Ordering::Relaxed)),
        lock: LockId::new(slot.lock.load(Ordering::Relaxed)),
        site: SiteId::new(slot.site.load(Ordering::Relaxed)),
    })
}
