//! When unused rows and nodes are given back: once enough were made, while no other thread is inside the runtime.

use crate::thread::Thread;
use crate::{atomic, busy, hand_off, own_stack, pthread, runtime, updates};
use heddle_rt::Kept;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// How often it was done.
static CYCLE: AtomicU32 = AtomicU32::new(1);

/// The records of checked threads.
static RECORDS: Mutex<Records> = Mutex::new(Records(Vec::new()));

struct Records(Vec<*mut Thread>);

// SAFETY: a record stays where it is until its thread has taken it out of the list.
unsafe impl Send for Records {}

/// How many times the runtime is entered before it is looked whether it pays.
const OFTEN: u32 = 128;

/// What a thread has done since the last time.
#[derive(Debug, Default)]
pub(crate) struct Activity {
    entered: u32,
    calls: u32,
    /// Whether the thread has made no access since it left the runtime with no strand: then none of its steps can be
    /// under way.
    is_parked: bool,
}

impl Activity {
    /// The thread is inside.
    #[inline]
    pub(crate) fn enter(&mut self) {
        self.entered = CYCLE.load(Ordering::Relaxed);
    }

    /// It makes an access.
    #[inline]
    pub(crate) fn access(&mut self) {
        self.entered = CYCLE.load(Ordering::Relaxed);
        self.is_parked = false;
    }

    /// It leaves; whether it is to be looked how much there is to give back.
    #[inline]
    pub(crate) fn leave(&mut self, has_strand: bool) -> bool {
        self.is_parked = !has_strand;
        self.calls = self.calls.wrapping_add(1);
        self.calls.is_multiple_of(OFTEN)
    }
}

/// A thread is checked from now on. To be called inside.
pub(crate) fn register(thread: *mut Thread) {
    records(|records| records.push(thread));
}

/// It is not any more. To be called inside.
pub(crate) fn unregister(thread: *mut Thread) {
    records(|records| records.retain(|&record| record != thread));
}

/// Of all threads there is this one: the process is a forked child.
pub(crate) fn keep_only(thread: *mut Thread) {
    records(|records| records.retain(|&record| record == thread));
}

fn records<R>(f: impl FnOnce(&mut Vec<*mut Thread>) -> R) -> R {
    f(&mut RECORDS.lock().unwrap_or_else(PoisonError::into_inner).0)
}

/// Gives back what is unused, unless another thread is in the way. To be called outside.
#[cold]
pub(crate) fn reclaim() {
    let Some(runtime) = runtime::runtime() else {
        return;
    };
    if !busy::try_close_gate() {
        return;
    }
    own_stack::call(|| {
        records(|records| {
            let cycle = CYCLE.load(Ordering::Relaxed);
            // SAFETY: records in the list are there; their threads are outside, so nobody else uses them.
            let threads = || records.iter().map(|&record| unsafe { &mut *record });
            let mut kept = Kept::default();
            threads().for_each(|thread| {
                kept.cursor(&thread.cursor);
                if let Some(wait) = &thread.last_wait {
                    wait.list(&mut kept);
                }
            });
            list_names(&mut kept);
            let caches = threads().map(|thread| {
                let was_inside = thread.activity.is_parked || thread.activity.entered == cycle;
                (&mut thread.cache, was_inside)
            });
            // SAFETY: no thread is inside, and each has one cache. What else the runtime refers to is told by
            // `signal`, not by `signal_for_list` or `offer`.
            unsafe { runtime.engine.reclaim(caches, &kept) };
            CYCLE.store(cycle.wrapping_add(1), Ordering::Relaxed);
        });
    });
    busy::open_gate(busy::Side::Parent);
}

/// Tells all strands that someone may still come after.
fn list_names(kept: &mut Kept) {
    hand_off::list(kept);
    updates::list(kept);
    atomic::list(kept);
    pthread::list(kept);
}
