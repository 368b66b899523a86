//! Fences: what a thread has released to, or may still acquire from, relaxed operations.

use super::order::Order;
use crate::hand_off::{Reach, Released};
use crate::runtime::Runtime;
use crate::thread::{self, Thread};
use heddle_rt::Kept;
use rustc_hash::FxHashMap;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering, compiler_fence, fence};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One thread's.
#[derive(Debug, Default)]
struct Fences {
    /// Up to where its last release fence released.
    released: Option<Released>,
    /// What its relaxed loads have seen since its last acquire fence, by task.
    seen: Vec<Released>,
}

static TABLE: Mutex<Option<Box<FxHashMap<u32, Fences>>>> = Mutex::new(None);
/// Whether any thread has executed a release fence.
static RELEASED: AtomicBool = AtomicBool::new(false);
/// Whether any relaxed load has seen what was released.
static LOADED: AtomicBool = AtomicBool::new(false);

fn table() -> MutexGuard<'static, Option<Box<FxHashMap<u32, Fences>>>> {
    TABLE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn with<R>(thread: &Thread, f: impl FnOnce(&mut Fences) -> R) -> R {
    let mut table = table();
    f(table
        .get_or_insert_with(Box::default)
        .entry(thread.number)
        .or_default())
}

/// Tells the strands that fences have released, or may still acquire.
pub(crate) fn list(kept: &mut Kept) {
    let table = table();
    for fences in table.iter().flat_map(|table| table.values()) {
        let all = fences.released.iter().chain(&fences.seen);
        all.for_each(|released| released.list(kept));
    }
}

/// What a relaxed store by this thread releases.
pub(super) fn released(thread: &Thread) -> Option<Released> {
    RELEASED
        .load(Ordering::Acquire)
        .then(|| with(thread, |fences| fences.released))?
}

/// A relaxed load by this thread has seen what these released.
pub(super) fn loaded(thread: &Thread, strands: &[Released]) {
    if strands.is_empty() {
        return;
    }
    LOADED.store(true, Ordering::Release);
    with(thread, |fences| {
        for &released in strands {
            let mut seen = fences.seen.iter_mut();
            // A value that is looked at later may have been stored earlier.
            match seen.find(|seen| seen.same_task(released)) {
                Some(seen) => *seen = seen.later(released),
                None => fences.seen.push(released),
            }
        }
    });
}

/// Acquires those of these that relaxed loads of this thread have seen.
pub(super) fn acquire_loaded(runtime: &Runtime, thread: &mut Thread, strands: &[Released]) {
    if strands.is_empty() || !LOADED.load(Ordering::Acquire) {
        return;
    }
    let seen = with(thread, |fences| fences.seen.clone());
    let is_seen = |released: &&Released| {
        let mut of_task = seen.iter().filter(|seen| seen.same_task(**released));
        of_task.any(|seen| seen.later(**released) == *seen)
    };
    for released in strands.iter().filter(is_seen) {
        released.acquire(runtime, thread, Reach::Seen);
    }
}

/// # Safety
/// None is needed; it is the ABI's.
#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_atomic_thread_fence(order: c_int) {
    let order = Order::from_abi(order);
    fence(Ordering::SeqCst);
    thread::enter(|runtime, thread| {
        if order.acquires() {
            let seen = with(thread, |fences| std::mem::take(&mut fences.seen));
            for released in seen {
                released.acquire(runtime, thread, Reach::Seen);
            }
        }
        if order.releases() {
            let released = Released::now(runtime, thread);
            with(thread, |fences| fences.released = Some(released));
            RELEASED.store(true, Ordering::Release);
            crate::hand_off::will_be_used();
        }
    });
}

/// Orders nothing between threads.
///
/// # Safety
/// None is needed; it is the ABI's.
#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_atomic_signal_fence(_order: c_int) {
    compiler_fence(Ordering::SeqCst);
}
